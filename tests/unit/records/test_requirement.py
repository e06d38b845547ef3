"""Whether a machine is the one that a campaign requires."""

import pytest

from timefair.records.integrity import matches, shortcoming, unmet

FACTS = {
    "cpu": "AMD EPYC 7763 64-Core Processor",
    "cores": 128,
    "memory_mb": 15.6 * 1024,
    "hostname": "node17.cluster",
}


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("epyc 7763", "AMD EPYC 7763", True), ("EPYC", "amd epyc 7763", True),
        ("xeon", "AMD EPYC 7763", False), ("*7763", "AMD EPYC 7763", True),
        ("epyc*", "AMD EPYC 7763", False), ("node1?", "node12", True),
        ("node1?", "node123", False), ("(R) Core[TM]", "Intel(R) Core[TM] i7", True),
        ("*(r) core[tm]*", "Intel(R) Core[TM] i7", True), ("epyc", None, False),
    ],
)  # fmt: skip
def test_a_pattern_is_a_part_or_has_wildcards(pattern, text, fits):
    assert matches(pattern, text) is fits


@pytest.mark.parametrize(
    ("required", "keys"),
    [
        ({}, []),
        ({"processor": None, "cores": None}, []),
        ({"processor": "epyc", "cores": 128, "memory_gb": 16, "host": "node1?.*"}, []),
        ({"processor": "xeon"}, ["processor"]),
        ({"cores": 64}, ["cores"]),
        ({"memory_gb": 15}, ["memory_gb"]),
        ({"host": "login*", "cores": 2}, ["host", "cores"]),
    ],
)
def test_every_key_is_compared(required, keys):
    assert unmet(required, FACTS) == keys


def test_a_fact_that_is_not_known_meets_nothing():
    required = {"processor": "epyc", "cores": 1, "memory_gb": 1, "host": "*"}
    assert unmet(required, {}) == list(required)


def test_the_line_has_what_is_required_what_is_there_and_what_to_do():
    assert shortcoming({"processor": "epyc"}, FACTS) == ""
    assert shortcoming({"processor": "xeon", "cores": 128}, FACTS) == (
        "machine.require.processor: requires processor xeon; this is AMD EPYC 7763 64-Core "
        "Processor with 128 cores and 16 GB, host node17.cluster; "
        "select the right nodes in the profile (constraint), or change the requirement"
    )
    both = shortcoming({"processor": "xeon", "cores": 2}, FACTS)
    assert both.startswith("machine.require: requires processor xeon, 2 cores; this is AMD")
