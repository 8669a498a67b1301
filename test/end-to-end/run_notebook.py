"""Runs a notebook in its folder and prints what its cells showed, as JSON: python3 run_notebook.py NOTEBOOK"""

import json
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

path = Path(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
shown = [output.get("text") or output.get("data") for cell in notebook.cells for output in cell.get("outputs", [])]
json.dump(shown, sys.stdout)
