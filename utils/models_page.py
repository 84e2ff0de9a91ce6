#!/usr/bin/env python3
"""Writes docs/Models.md from the texts of lib/Library/models: models_page.py ROOT > docs/Models.md."""
import collections
import glob
import json
import os
import re
import sys

HEAD = """# Models

This page is written by `utils/generate-docs.sh` from the texts of the library.

`weftc DIR -o model.so` compiles a model folder: `config.json` and the weights as `model.safetensors` (or shards with
`model.safetensors.index.json`). `model_type` selects a text of the library, `architectures[0]` (or `--model`) a model in
it. A folder that brings its own `model.weft` is compiled from that. `weftc model.gguf -o DIR/` compiles a
[GGUF file](Running.md#gguf-files) of the architectures in the column "GGUF". [AddingAModel.md](AddingAModel.md) leads through a new
architecture.

The library has {models} models of {types} model types in {lines} lines of Weft; {cases} golden cases of them hold the
reference implementation's results, and the suite runs each through the interpreter and through compiled code. Sizes are
lines with text, without comments. "From" names the types whose modules a text uses; "cases" counts the golden cases. What a
configuration may ask for and a text refuses, by name, is in the last column.

| type | models | lines | from | cases | GGUF | refused |
|---|---|---|---|---|---|---|
"""


def strip(line):
    """The line without its comment."""
    quoted = False
    for i, character in enumerate(line):
        if character == '"':
            quoted = not quoted
        elif character == "#" and not quoted:
            return line[:i].strip()
    return line.strip()


def refusals(text):
    """What the text's assertions say is not supported."""
    found = re.findall(r'assert\s.*?,\s*\n?\s*"([^"]*)"', text)
    return [message for message in dict.fromkeys(found) if "support" in message or "only" in message]


def golden(root):
    """How many golden cases each model type has."""
    count = collections.Counter()
    for path in glob.glob(os.path.join(root, "test", "Golden", "*", "config.json")):
        with open(path) as file:
            count[json.load(file).get("model_type", "?")] += 1
    return count


def row(path, cases):
    with open(path) as file:
        text = file.read()
    name = os.path.basename(path)[: -len(".weft")]
    code = [line for line in map(strip, text.split("\n")) if line]
    models = re.findall(r"^model (\w+)", text, re.M)
    imports = re.findall(r"^import models\.(\w+)", text, re.M)
    headers = re.findall(r'^gguf ("[^{]*?) (?:if|gives) ', text, re.M)
    architectures = [name for header in headers for name in re.findall(r'"([^"]*)"', header)]
    # A file name has _ where a model_type may have -.
    count = sum(number for kind, number in cases.items() if kind.replace("-", "_") == name)
    return name, models, len(code), imports, count, architectures, refusals(text)


def main():
    root = sys.argv[1]
    cases = golden(root)
    rows = [row(path, cases) for path in sorted(glob.glob(os.path.join(root, "lib/Library/models/*.weft")))]
    types = [r for r in rows if r[1]]
    print(
        HEAD.format(
            models=sum(len(r[1]) for r in types),
            types=len(types),
            lines=sum(r[2] for r in rows),
            cases=sum(r[4] for r in types),
        ),
        end="",
    )
    for name, models, lines, imports, count, architectures, refused in rows:
        names = ", ".join(f"`{model}`" for model in models) or "(modules of others)"
        escaped = "; ".join(refused).replace("|", "\\|")
        print(
            f"| [{name}](../lib/Library/models/{name}.weft) | {names} | {lines} | {', '.join(imports)} "
            f"| {count or ''} | {', '.join(architectures)} | {escaped} |"
        )


main()
