"""Records to tables, when the last timed run is over: nothing else is on the cores meanwhile."""


rule collect_records:
    input:
        lambda wildcards: RECORDS[wildcards.algorithm],
        last_round=ROUND_DONE.format(round=CAMPAIGN.rounds),
    output:
        f"{RESULTS}/collected/{{algorithm}}.parquet",
    log:
        f"{RESULTS}/logs/{{algorithm}}/collect.log",
    conda:
        "../../envs/timefair.yaml"
    params:
        snapshot=SNAPSHOT,
        key=provenance.collect_key(),
    shell:
        "python -P -m timefair collect --campaign {params.snapshot}"
        " --algorithm {wildcards.algorithm} --output {output} > {log} 2>&1"


rule import_published:
    input:
        data=lambda wildcards: plan.published_files(CAMPAIGN, wildcards.published),
        last_round=ROUND_DONE.format(round=CAMPAIGN.rounds),
    output:
        f"{RESULTS}/collected/{{published}}.parquet",
    log:
        f"{RESULTS}/logs/{{published}}/import.log",
    conda:
        "../../envs/timefair.yaml"
    params:
        of=lambda wildcards: CAMPAIGN.published[wildcards.published],
        problems=CAMPAIGN.problems,
        snapshot=SNAPSHOT,
        key=provenance.import_key(),
    shell:
        "python -P -m timefair import {params.of.format} {params.of.path:q}"
        " --campaign {params.snapshot} --label {wildcards.published} --output {output}"
        " > {log} 2>&1"


COLLECTED = expand(
    f"{RESULTS}/collected/{{label}}.parquet",
    label=CAMPAIGN.labels,
)

rule make_tables:
    input:
        COLLECTED,
    output:
        **analysis.outputs(CAMPAIGN, RESULTS, FOLDER, report, update),
        mark=touch(MADE),
    log:
        f"{RESULTS}/logs/make_tables.log",
    conda:
        "../../envs/timefair.yaml"
    threads: 8
    params:
        folder=lambda wildcards, output: Path(output.mark).parents[1],
        snapshot=SNAPSHOT,
    shell:
        "python -P -m timefair make-tables {input} --campaign {params.snapshot}"
        " --output {params.folder} --cores {threads} > {log} 2>&1"


rule write_report:
    input:
        tables=expand(f"{RESULTS}/tables/{{table}}.parquet", table=CAMPAIGN.made_tables),
        pictures=analysis.pictures(CAMPAIGN, RESULTS),
        mark=MADE,
    output:
        page=f"{RESULTS}/report.html",
        checklist=report(
            f"{RESULTS}/checklist.html",
            caption=analysis.caption(FOLDER, "table_checklist"),
            category=TABLES["checklist"].family,
            subcategory="Pages",
            labels={"page": TABLES["checklist"].title},
        ),
        document=f"{RESULTS}/tables/tables.tex",
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        "../../envs/timefair.yaml"
    params:
        folder=lambda wildcards, output: Path(output.page).parent,
        snapshot=SNAPSHOT,
    shell:
        "python -P -m timefair report {params.folder} --campaign {params.snapshot}"
        " > {log} 2>&1"
