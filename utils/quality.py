#!/usr/bin/env python3
"""Measures what types of fewer bits cost a language model: how far its predictions of a text are from those in f32, and how
well it still predicts the text. Prints the table of docs/Numerics.md.

usage: quality.py [--bin build/release/bin] [--types bf16,f16,...] [--flags "--store=int4,asym ..."]... [--text FILE] [MODEL]

MODEL is a folder that weftc compiles and that generates from ids alone (default: docs/examples/bible with its heldout.txt).
A type is one of test/Golden/types.json that are for quality; --flags takes flags of weftc as they are given to it, blanks between
them, and with it types are measured only if they are named.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
REFERENCE = "--store=f32 --compute=f32 --cache=f32"
with open(os.path.join(ROOT, "test", "Golden", "types.json"), encoding="utf-8") as types_file:
    TYPES = {kind: one["flags"] for kind, one in json.load(types_file).items() if "quality" in one["for"]}
FOUND = re.compile(
    r"KL\(reference \|\| model\) (\S+) nats per token, (\S+) at most.* the same for (\S+) % of \d+ tokens\n"
    r"reference:.*\nmodel: +(\S+) bits per token, perplexity (\S+)"
)


def run(command):
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        sys.exit(f"quality.py: {' '.join(command)}: {process.stderr.strip()}")
    return process.stdout


class Model:
    """What is measured: a model and a text, in a folder for what is compiled."""

    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch

    def compile(self, name, flags):
        library = os.path.join(self.scratch, name + ".so")
        run([os.path.join(self.options.bin, "weftc"), self.options.model, *flags.split(), "-o", library])
        return library, os.path.getsize(os.path.join(self.scratch, name + ".weights"))

    def measure(self, library, reference):
        command = [library, "--compare=kl", "--reference", reference, "--perplexity", self.options.text]
        return FOUND.match(run([os.path.join(self.options.bin, "weft-run"), *command])).groups()


def main():
    bible = os.path.join(ROOT, "docs", "examples", "bible")
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--types", type=lambda text: text.split(","), default=[])
    parser.add_argument("--flags", action="append", type=lambda text: (text.replace("--", ""), text), default=[])
    parser.add_argument("--text", default=os.path.join(bible, "heldout.txt"))
    parser.add_argument("model", nargs="?", default=bible)
    options = parser.parse_args()
    unknown = [kind for kind in options.types if kind not in TYPES]
    if unknown:
        parser.error(f"unknown types: {', '.join(unknown)}; {', '.join(TYPES)} are known, and --flags takes others")
    types = [(kind, TYPES[kind]) for kind in options.types] + options.flags or list(TYPES.items())
    print("| type | flags | MB of weights | bits per token | KL (nats) | largest KL | likeliest token the same |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        model = Model(options, scratch)
        reference, _ = model.compile("reference", REFERENCE)
        for kind, flags in [("f32", REFERENCE)] + types:
            library, size = model.compile("model", flags)
            mean, largest, same, bits, _ = model.measure(library, reference)
            print(f"| {kind} | `{flags}` | {size / 1e6:.2f} | {bits} | {mean} | {largest} | {same} % |", flush=True)


if __name__ == "__main__":
    main()
