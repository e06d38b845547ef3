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

for room in CAMPAIGN.rooms:
    made = outputs.of_room(CAMPAIGN, room, RESULTS, FOLDER, report, update)

    rule:
        name:
            f"analyse_{room}"
        input:
            COLLECTED,
        output:
            **made,
            mark=touch(MARKS[room]),
        log:
            f"{RESULTS}/logs/analyse_{room}.log",
        priority: outputs.priority(room, FOLDER, len(made))
        conda:
            "../../envs/timefair.yaml"
        params:
            room=room,
            folder=lambda wildcards, output: Path(output[0]).parents[1],
            snapshot=SNAPSHOT,
            mark=lambda wildcards, output: output.mark,
        shell:
            "python -P -m timefair make-room {params.room} {input}"
            " --campaign {params.snapshot} --output {params.folder} > {log} 2>&1"


rule write_report:
    input:
        tables=expand(f"{RESULTS}/tables/{{table}}.parquet", table=CAMPAIGN.made_tables),
        pictures=outputs.pictures(CAMPAIGN, RESULTS),
    output:
        page=f"{RESULTS}/report.html",
        checklist=report(
            f"{RESULTS}/checklist.html",
            caption=outputs.caption(FOLDER, "table_checklist"),
            category=TABLES["checklist"].family,
            subcategory="Pages",
            labels={"page": TABLES["checklist"].title},
        ),
        document=f"{RESULTS}/tables/tables.tex",
        mark=touch(MARKS[outputs.REPORT]),
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        "../../envs/timefair.yaml"
    threads: 2
    params:
        folder=lambda wildcards, output: Path(output.page).parent,
        snapshot=SNAPSHOT,
        mark=lambda wildcards, output: output.mark,
    shell:
        "python -P -m timefair report {params.folder} --campaign {params.snapshot}"
        " --cores {threads} > {log} 2>&1"
