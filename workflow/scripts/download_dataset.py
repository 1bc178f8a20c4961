"""Download the files of a data set from mirrors or publishers, and record the outcome."""

import json
from pathlib import Path

from pulab.trials.logs import machine_fault, start_log
from pulab.trials.results import replacing
from pulib.datasets import mirror_list
from pulib.datasets.download import DownloadError, fetch
from pulib.datasets.registry import load_registry

start_log(snakemake.log[0])
record = Path(snakemake.output.record)
# URLs are not parameters of the rule: the origin of a verified file does not matter
mirrors = mirror_list(snakemake.config["mirror"])
entry = load_registry(extra=snakemake.config["datasets"])[snakemake.wildcards.dataset]
try:
    outcome = {"available": True, "files": fetch(entry, record.parent, mirrors)}
except DownloadError as error:
    if snakemake.config["missing_data"] != "report" or machine_fault(error):
        raise
    print(error)
    outcome = {"available": False, "reason": error.summary}
outcome["mirrors"] = snakemake.params.mirrors
with replacing(record) as partial:
    partial.write_text(json.dumps(outcome, indent=1, sort_keys=True) + "\n", encoding="utf-8")
