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
        "python -m timefair collect --campaign {params.snapshot} --algorithm {wildcards.algorithm}"
        " --output {output} > {log} 2>&1"


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
        "python -m timefair import {params.of.format} {params.of.path:q}"
        " --campaign {params.snapshot} --label {wildcards.published} --output {output}"
        " > {log} 2>&1"


COLLECTED = expand(
    f"{RESULTS}/collected/{{label}}.parquet",
    label=[*CAMPAIGN.algorithms, *CAMPAIGN.published],
)

for table in CAMPAIGN.made_tables:

    rule:
        name:
            f"tabulate_{table}"
        input:
            COLLECTED,
        output:
            csv=report(
                f"{RESULTS}/tables/{table}.csv",
                caption=f"../report/table_{table}.rst",
                category=TABLES[table].family,
                subcategory="Tables",
                labels={
                    "table": TABLES[table].title,
                    "seconds": CAMPAIGN.statistics.time,
                    "disturbed runs": CAMPAIGN.timing.disturbed,
                },
            ),
            parquet=f"{RESULTS}/tables/{table}.parquet",
        log:
            f"{RESULTS}/logs/tables/{table}.log",
        conda:
            "../../envs/timefair.yaml"
        params:
            table=table,
            snapshot=SNAPSHOT,
            key=provenance.table_key(table),
            settings=CAMPAIGN.settings_of(table),
        shell:
            "python -m timefair tabulate {params.table} {input} --campaign {params.snapshot}"
            " --output {output.csv} {output.parquet} > {log} 2>&1"


rule fill_checklist:
    input:
        COLLECTED,
    output:
        report(
            f"{RESULTS}/checklist.html",
            caption="../report/table_checklist.rst",
            category=TABLES["checklist"].family,
            subcategory="Pages",
            labels={"page": TABLES["checklist"].title},
        ),
    log:
        f"{RESULTS}/logs/checklist.log",
    conda:
        "../../envs/timefair.yaml"
    params:
        snapshot=SNAPSHOT,
        key=provenance.checklist_key(),
        settings=CAMPAIGN.settings_of("checklist"),
    shell:
        "python -m timefair checklist {input} --campaign {params.snapshot} --output {output}"
        " > {log} 2>&1"


rule typeset_tables:
    input:
        expand(f"{RESULTS}/tables/{{table}}.parquet", table=CAMPAIGN.table_names),
    output:
        expand(f"{RESULTS}/tables/{{table}}.tex", table=CAMPAIGN.table_names),
        document=f"{RESULTS}/tables/tables.tex",
    log:
        f"{RESULTS}/logs/tables/typeset.log",
    conda:
        "../../envs/timefair.yaml"
    params:
        folder=lambda wildcards, output: Path(output.document).parent,
        snapshot=SNAPSHOT,
        key=provenance.typeset_key(),
    shell:
        "python -m timefair typeset {input} --campaign {params.snapshot} --output {params.folder}"
        " > {log} 2>&1"
