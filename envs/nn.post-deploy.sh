#!/usr/bin/env bash
# pulib itself, from this checkout: Snakemake runs this in the folder of the workflow, in the new environment.
set -euo pipefail
python -m pip install --no-deps -e .
