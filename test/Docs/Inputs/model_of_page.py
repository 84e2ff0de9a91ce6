"""Writes the formulas of docs/AddingAModel.md to a file: model_of_page.py PAGE FILE."""
import re
import sys

with open(sys.argv[1]) as page:
    blocks = re.findall(r"^```weft\n(.*?)^```", page.read(), re.M | re.S)
with open(sys.argv[2], "w") as file:
    # The blocks without those that only show a statement.
    shown = "assert", "for ", "weight"
    file.write("\n".join(block for block in blocks if not block.startswith(shown)))
