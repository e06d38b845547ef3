"""Where timefair is not installed: every result fails with one line on how to install it."""

ASKED_FOR = "results/report.html"


rule install_timefair:
    input:
        lambda wildcards: sys.exit(
            "timefair: not installed in the environment of snakemake;"
            f" run `{sys.executable} -m pip install .` in a clone of timefair"
        ),
    output:
        "results/{file}",
