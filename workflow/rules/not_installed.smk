"""What there is to make where timefair is not installed: one line that says so."""

from snakemake.exceptions import WorkflowError


def missing(wildcards):
    clone = Path(workflow.basedir).parent
    raise WorkflowError(f"timefair is not installed beside Snakemake: pip install {clone}")


rule all:
    input:
        missing,
