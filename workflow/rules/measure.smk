"""Timed runs: a job an algorithm, function, dimension, chunk of instances and round.

The path of a record has the key of what decides it, so that a change makes other records
and never stale ones. A round begins when the one before it is complete, for the algorithms
to take turns; `ancient` makes that an order only: a record that is measured again does not
have later rounds measured again. In a round, of the jobs that fit on the free cores those
with the highest priority begin first; it is random, and fixed by the seed. Runs that are
done are kept in a journal beside the record, which Snakemake does not know of and so does
not delete. While the first job is planned, the campaign is taken: one snakemake at a time
works on it.
"""

ROUNDS = plan.records_by("round", CAMPAIGN, KEYS, Path(RESULTS))
ROUND_DONE = f"{RESULTS}/records/round{{round}}.done"
PREVIOUS_ROUND = {1: []} | {
    r + 1: [ancient(ROUND_DONE.format(round=r))] for r in ROUNDS
}


wildcard_constraints:
    algorithm=plan.any_of(CAMPAIGN.algorithms),
    published=plan.any_of(CAMPAIGN.published),
    key=r"[0-9a-f]+",
    function=r"\d+",
    dimension=r"\d+",
    instances=r"[\d_-]+",
    round=r"\d+",


for measuring, (threads, labels) in plan.measuring_rules(CAMPAIGN).items():

    rule:
        name:
            measuring
        input:
            lambda wildcards: DRIVER.take() + PREVIOUS_ROUND[int(wildcards.round)],
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
            key=lambda wildcards: KEYS[wildcards.algorithm, int(wildcards.round)],
        shell:
            "python -m timefair measure --campaign {params.snapshot}"
            " --algorithm {wildcards.algorithm} --function {wildcards.function}"
            " --dimension {wildcards.dimension} --instances {wildcards.instances}"
            " --round {wildcards.round} --key {params.key} --record {output} > {log} 2>&1"


rule finish_round:
    input:
        lambda wildcards: ROUNDS[int(wildcards.round)],
    output:
        touch(ROUND_DONE),
    localrule: True
