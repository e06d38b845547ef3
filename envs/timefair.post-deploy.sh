# Snakemake runs this in the new environment, from the folder that it was started in.
if [ ! -f workflow/timefair/__init__.py ]; then
    echo "timefair: with --sdm conda start snakemake in a clone of timefair" >&2
    exit 1
fi
python -m pip install --no-deps .
