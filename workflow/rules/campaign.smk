"""Read and check the configuration, and list the files that the campaign asks for."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

from timefair import analysis
from timefair.campaign import configuration as campaigns
from timefair.campaign import driver, plan, provenance
from timefair.basics.errors import InputError
from timefair.basics.extension import each
from timefair.cli import console
from timefair.exhibits.registry import TABLES

min_version("9.0")

# The jobs use the Python of Snakemake, even if its environment is not active.
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()])
)

# In a workflow that includes this one as a module, the campaign is the module's `config`, and the
# campaign files belong to that workflow.
IS_MODULE = not workflow.modifier.is_main_snakefile()

driver.collect_garbage_rarely()

if not IS_MODULE:
    console.attach(workflow)

if IS_MODULE or not workflow.configfiles:

    configfile: f"{workflow.current_basedir}/../../config/config.yaml"


try:
    CAMPAIGN = campaigns.parse(config if IS_MODULE else driver.configuration_of(workflow))
    RESULTS = f"results/{CAMPAIGN.name}"
    # The folder of `RESULTS` on the disk: a module may have a prefix.
    FOLDER = Path(workflow.modifier.modify_path(RESULTS))
    ADDED = dict(each("settings", CAMPAIGN, FOLDER))
    KEYS = driver.planned_keys(workflow, CAMPAIGN, FOLDER)
except InputError as error:
    raise WorkflowError(error.told)


SNAPSHOT = FOLDER / plan.SNAPSHOT
DRIVER = driver.Driver(workflow, CAMPAIGN, KEYS, FOLDER)
RECORDS = plan.records_by("algorithm", CAMPAIGN, KEYS, Path(RESULTS))

TUNED = {
    label: f"{RESULTS}/{plan.tuning_record(label, KEYS)}" for label in CAMPAIGN.tuned
}

# Tables are made again after any change, even without Snakemake's own metadata: in copied results, or
# after `.snakemake` was deleted.
ANALYSIS_KEY = provenance.analysis_key(CAMPAIGN, ADDED, RECORDS)
MADE = f"{RESULTS}/{analysis.MADE}/{plan.short_key(ANALYSIS_KEY)}.done"

ASKED_FOR = [
    *TUNED.values(),
    *RECORDS.values(),
    *expand(
        f"{RESULTS}/tables/{{table}}.{{format}}",
        table=CAMPAIGN.table_names,
        format=["csv", "parquet", "tex"],
    ),
    *expand(
        f"{RESULTS}/figures/{{figure}}.{{format}}",
        figure=CAMPAIGN.figure_files,
        format=CAMPAIGN.figures.formats,
    ),
    f"{RESULTS}/report.html",
    MADE,
]
