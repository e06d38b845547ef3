"""Timed runs: a job an algorithm, function, dimension, chunk of instances and round.

With `block: node` a job measures all algorithms of these, one after the other. If one of its records
is missing, Snakemake removes the others, and the block is measured as one again.

The path of a record has the key of what decides it, so that a change makes other records
and never stale ones. A round begins when the one before it is complete, for the algorithms
to take turns; `ancient` makes that an order only: a record that is measured again does not
have later rounds measured again. In a round, of the jobs that fit on the free cores those
with the highest priority begin first; it is random, and fixed by the seed. Runs that are
done are kept in a journal beside the record, which Snakemake does not know of and so does
not delete. A tuned variant waits for the search for its parameters; if the search is made
again, the variant is measured again. While the first job is planned, the campaign is taken: one snakemake at a time
works on it.
"""

ROUNDS = plan.records_by("round", CAMPAIGN, KEYS, Path(RESULTS))
ROUND_DONE = f"{RESULTS}/records/round{{round}}.done"
PREVIOUS_ROUND = {1: []} | {r + 1: [ancient(ROUND_DONE.format(round=r))] for r in ROUNDS}


wildcard_constraints:
    algorithm=plan.any_of(CAMPAIGN.algorithms),
    published=plan.any_of(CAMPAIGN.published),
    key=r"[0-9a-f]+",
    function=r"\d+",
    dimension=r"\d+",
    instances=r"[\d_-]+",
    round=r"\d+",


if CAMPAIGN.block is None:

    for measuring, (threads, labels) in plan.rules_by_cores(
        CAMPAIGN, plan.MEASURING, CAMPAIGN.algorithms
    ).items():

        rule:
            name:
                measuring
            input:
                lambda wildcards: DRIVER.take() + PREVIOUS_ROUND[int(wildcards.round)],
                search=lambda wildcards: TUNED.get(wildcards.algorithm, []),
            output:
                f"{RESULTS}/{plan.RECORD}",
            log:
                f"{RESULTS}/{plan.LOG}",
            wildcard_constraints:
                algorithm=plan.any_of(labels),
            priority: lambda wildcards: plan.priority(CAMPAIGN.seed, **wildcards)
            conda:
                "../../envs/timefair.yaml"
            threads: threads
            resources:
                **plan.resources(CAMPAIGN),
            params:
                snapshot=SNAPSHOT,
            shell:
                "python -P -m timefair measure --campaign {params.snapshot}"
                " --algorithm {wildcards.algorithm} --function {wildcards.function}"
                " --dimension {wildcards.dimension} --instances {wildcards.instances}"
                " --round {wildcards.round} --key {wildcards.key} --record {output} > {log} 2>&1"

else:

    for measuring, (round, records) in plan.block_rules(CAMPAIGN, KEYS).items():

        rule:
            name:
                measuring
            input:
                lambda wildcards: DRIVER.take() + PREVIOUS_ROUND[int(wildcards.round)],
                search=sorted(TUNED.values()),
            output:
                expand(f"{RESULTS}/{{record}}", record=records, allow_missing=True),
            log:
                f"{RESULTS}/{plan.BLOCK}.log",
            wildcard_constraints:
                round=str(round),
            priority: lambda wildcards: plan.priority(CAMPAIGN.seed, **wildcards)
            conda:
                "../../envs/timefair.yaml"
            threads: CAMPAIGN.job_cores
            resources:
                **plan.resources(CAMPAIGN),
            params:
                snapshot=SNAPSHOT,
            shell:
                "python -P -m timefair measure-block --campaign {params.snapshot}"
                " --function {wildcards.function} --dimension {wildcards.dimension}"
                " --instances {wildcards.instances} --round {wildcards.round} > {log} 2>&1"


for tuning, (threads, labels) in plan.rules_by_cores(
    CAMPAIGN, plan.SEARCHING, CAMPAIGN.tuned
).items():

    rule:
        name:
            tuning
        input:
            lambda wildcards: DRIVER.take(),
        output:
            f"{RESULTS}/{plan.TUNING}",
        log:
            f"{RESULTS}/{plan.TUNING_LOG}",
        wildcard_constraints:
            algorithm=plan.any_of(labels),
        priority: 1001  # before the runs, for which the tuned variants wait
        conda:
            "../../envs/timefair.yaml"
        threads: threads
        resources:
            **plan.resources(CAMPAIGN, searching=True),
        params:
            command=lambda wildcards: CAMPAIGN.tuned[wildcards.algorithm].key,
            snapshot=SNAPSHOT,
        shell:
            "python -P -m timefair {params.command} --campaign {params.snapshot}"
            " --algorithm {wildcards.algorithm} --key {wildcards.key} --record {output}"
            " > {log} 2>&1"


rule finish_round:
    input:
        lambda wildcards: ROUNDS[int(wildcards.round)],
    output:
        touch(ROUND_DONE),
    localrule: True
