"""Whether docs/Models.md has the models that `weftc --list-models --json` lists, in the same order."""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    listed = [(model["model_type"], model["class"]) for model in json.load(file)]
with open(sys.argv[2], encoding="utf-8") as file:
    rows = re.findall(r"^\| \[(\w+)\]\(\S+\) \| ([^|]*) \|", file.read(), re.M)
page = [(kind, name) for kind, names in rows for name in re.findall(r"`(\w+)`", names)]
if page != listed:
    sys.exit(f"only on the page: {sorted(set(page) - set(listed))}, only listed: {sorted(set(listed) - set(page))}")
print(len({kind for kind, name in page}), "types with", len(page), "models")
