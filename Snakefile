"""The entry point: `snakemake --cores all`, with `--configfile mine.yaml` for another campaign."""


include: "workflow/Snakefile"


rule default:
    default_target: True
    input:
        rules.all.input,
