"""Tables to figures, each drawn from one table; and the page of them all."""

for figure in CAMPAIGN.figure_names:

    rule:
        name:
            f"draw_{figure}"
        input:
            f"{RESULTS}/tables/{FIGURES[figure].table}.parquet",
        output:
            pdf=f"{RESULTS}/figures/{figure}.pdf",
            svg=report(
                f"{RESULTS}/figures/{figure}.svg",
                caption=f"../report/{figure}.rst",
                category=FIGURES[figure].family,
                subcategory="Figures",
                labels={
                    "figure": FIGURES[figure].title,
                    "seconds": CAMPAIGN.statistics.time,
                    "disturbed runs": CAMPAIGN.timing.disturbed,
                },
            ),
            png=f"{RESULTS}/figures/{figure}.png",
        log:
            f"{RESULTS}/logs/figures/{figure}.log",
        conda:
            "../../envs/timefair.yaml"
        params:
            figure=figure,
            key=provenance.figure_key(figure),
        shell:
            "python -m timefair draw {params.figure} --table {input} --output {output} > {log} 2>&1"


rule write_report:
    input:
        tables=expand(f"{RESULTS}/tables/{{table}}.parquet", table=CAMPAIGN.made_tables),
        figures=expand(
            f"{RESULTS}/figures/{{figure}}.svg", figure=CAMPAIGN.figure_names
        ),
    output:
        f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        "../../envs/timefair.yaml"
    params:
        snapshot=SNAPSHOT,
        key=provenance.report_key(),
        settings=CAMPAIGN.settings_of("checklist"),
    shell:
        "python -m timefair report {input.tables} --figures {input.figures}"
        " --campaign {params.snapshot} --output {output} > {log} 2>&1"
