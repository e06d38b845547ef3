# Snakemake runs this in the new environment, from the folder that it was started in.
python -m pip install --no-deps .
