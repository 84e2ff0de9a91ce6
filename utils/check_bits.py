#!/usr/bin/env python3
"""Checks that results have the same bits however they are computed (docs/Numerics.md): at once, token by token, in random
pieces, with 1, 2 and 3 threads, alone and in a batch.

usage: check_bits.py [--bin build/release/bin] [--types f32,bf16,...] [--inputs inputs.safetensors] [--jobs N] [FOLDER]...

A FOLDER is one of test/Golden (default: all of them). Each is compiled for every type of test/Golden/types.json (of which the
suite tries those that are for bits), for one example and for a batch, and its inputs (all of them, or those of the name) are run in all
these ways. Prints a line for each folder and type; the exit status is 1 if any two results differ.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
with open(os.path.join(ROOT, "test", "Golden", "types.json"), encoding="utf-8") as types_file:
    TYPES = {kind: one["flags"].split() for kind, one in json.load(types_file).items()}


class Different(Exception):
    """What differs, or cannot be run."""


def run(command, folder):
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise Different(f"{shlex.join(command)}: {process.stderr.strip()[-300:]}")
    return process.stdout


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return shlex.split(file.read())


class Case:
    """A folder in one type."""

    def __init__(self, options, folder, kind, scratch):
        self.bin, self.folder, self.kind, self.scratch = os.path.abspath(options.bin), folder, kind, scratch
        self.inputs = options.inputs
        self.ways, self.single = 0, None

    def compile(self, name, *more):
        library = os.path.join(self.scratch, name + ".so")
        given = read(os.path.join(self.folder, "options_weftc.txt"))
        if "--no-step" in more and "--step" in given:
            given.remove("--step")
        model = [] if any(option.endswith(".weft") for option in given) else ["."]
        run([os.path.join(self.bin, "weftc"), *model, *given, *TYPES[self.kind], *more, "-o", library], self.folder)
        return library

    def results(self, library, inputs, *more):
        path = os.path.join(self.scratch, "results.safetensors")
        run_name = os.path.basename(inputs)[len("inputs") : -len(".safetensors")]
        given = read(os.path.join(self.folder, "options" + run_name + ".txt"))
        if "--masked-by" in given:  # what is not compared has bits, too
            at = given.index("--masked-by")
            given[at : at + 2] = []
        run([os.path.join(self.bin, "weft-run"), library, "--inputs", inputs, "--outputs", path, *given, *more], self.folder)
        with open(path, "rb") as file:
            return file.read()

    def compare(self, what, expected, actual):
        self.ways += 1
        if expected != actual:
            raise Different(f"{what}: other bits")

    def check(self):
        single = self.compile("single")
        self.single = single
        description = run([os.path.join(self.bin, "weft-run"), single], self.folder)
        has_step = "\nstep " in description
        batch = self.compile("batch", "--batch", "EXAMPLES <= 8", "--no-step")
        files = sorted(glob.glob(os.path.join(self.folder, self.inputs)))
        if not files:
            raise Different(f"there is no {self.inputs}")
        for inputs in files:
            if os.path.basename(inputs).startswith("inputs_gen"):
                continue
            name = os.path.basename(inputs)
            whole = self.results(single, inputs, "--threads=1")
            for threads in "2", "3":
                self.compare(f"{name}, {threads} threads", whole, self.results(single, inputs, "--threads=" + threads))
            try:
                self.compare(f"{name} in a batch", whole, self.results(batch, inputs, "--threads=2"))
            except Different as problem:
                if "(a batch may come before it)" not in str(problem):  # CLIP's texts are several without one
                    raise
            if not has_step or os.path.exists(os.path.join(self.folder, "pieces_differ.txt")):
                continue
            generated = self.results(single, inputs, "--chunks=1", "--threads=1")
            for seed in "1", "2":
                pieces = self.results(single, inputs, "--chunks=random", "--seed=" + seed, "--threads=2")
                self.compare(f"{name} in pieces", generated, pieces)
            if len(whole) == len(generated):  # a model may have other results than what it generates by
                self.compare(f"{name} token by token", whole, generated)


def check(options, folder, kind):
    with tempfile.TemporaryDirectory() as scratch:
        case = Case(options, os.path.abspath(folder), kind, scratch)
        try:
            case.check()
        except Different as problem:
            return False, str(problem)
        return True, f"the same bits in {case.ways} comparisons"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--inputs", default="inputs*.safetensors")
    parser.add_argument("--jobs", type=int, default=1, help="folders and types side by side")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    folders = options.folders or sorted(
        {os.path.dirname(path) for path in glob.glob(os.path.join(ROOT, "test/Golden/**/inputs*.safetensors"), recursive=True)})
    cases = [(folder, kind) for folder in folders for kind in options.types.split(",")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as threads:
        bad = 0
        for (folder, kind), (same, text) in zip(cases, threads.map(lambda case: check(options, *case), cases)):
            bad += not same
            print(f"{os.path.basename(os.path.abspath(folder))} {kind}: {text}", flush=True)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
