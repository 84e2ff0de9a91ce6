#!/usr/bin/env python3
"""Compiles all golden models to PTX and looks at what came out.

  check_gpu.py BUILD [NAME...] [--types TYPE,...] [--jobs N] [--keep FOLDER]

Every folder of test/Golden, or of those that are named, is compiled by BUILD/bin/weftc for each kind of GPU, in the types of
test/Golden/types.json that are named (f32; all: those that are `for` gpu), or in f32 and, of a few models, in all of them (sample,
if nothing is said). The PTX must need nothing from outside (no .extern but the shared memory that a launch gives), call nothing (no .func), have no memory of threads (no .local) and no instruction
that the emulator does not know (weft-gpu-emu --check). Where ptxas is found (in PATH, or under /usr/local/cuda) it must
assemble every file without a warning, without spilling registers but in the kernels of SPILLS, and without putting products of warpgroups
one after the other (C7510, C7512, C7514); waits for such products that it adds (C7517, C7519) are counted. Where it is not found, the last
line says so.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

from compare_code import GOLDEN, cases

CHIPS = ["sm_80", "sm_90a"]
FORBIDDEN = [r"\.extern(?! \.shared)", r"\.func", r"\.local"]
# An encoder, decoders with grouped heads and experts, an encoder with a decoder, pixels.
SAMPLE = ["bert-model", "gpt2-lm", "llama-gqa", "mixtral", "t5", "vit-model"]
with open(os.path.join(GOLDEN, "types.json"), encoding="utf-8") as types_file:
    TYPES = {kind: one["flags"].split() for kind, one in json.load(types_file).items() if "gpu" in one["for"]}
# Kernels that may spill registers, by the name of a file (model and type): why.
SPILLS = {}


def find_ptxas():
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def run(command, folder="."):
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return process.returncode, process.stdout + process.stderr


class Assembled(NamedTuple):
    problem: str = ""  # what ptxas has against a file
    spills: tuple = ()  # kernels that spill registers
    waits: int = 0  # for products of warpgroups, which it added (C7517, C7519)
    registers: dict = {}  # of a thread, by kernel


def assemble(ptxas, path, chip):
    """Whether ptxas takes a file. It says in a note, not in a warning, that it puts products one after the other (C7510, C7512, C7514)."""
    status, text = run([ptxas, "-v", "-arch=" + chip, "--warn-on-spills", path, "-o", os.devnull])
    registers = re.findall(r"Function properties for (\w+)\n(?:.*\n){0,3}?.*Used (\d+) registers", text)
    lines = text.splitlines()
    spilled = [line for line in lines if "Registers are spilled" in line]
    spills = re.findall(r"spilled to local memory in function '(?!__cuda_)(\w+)'", text)  # ptxas' own functions count as a kernel's that calls them
    waits = [line for line in lines if "(C7517)" in line or "(C7519)" in line]
    complaints = [line for line in lines if re.search(r"warning|error|fatal|\(C75", line) and line not in spilled + waits]
    if status and not complaints:
        complaints = lines
    return Assembled("\n".join(complaints), tuple(spills), len(waits), {kernel: int(count) for kernel, count in registers})


def check_text(path):
    """What PTX has that a kernel of threads has no need of; empty if there is none."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not re.search(r"^\.visible \.entry ", text, re.MULTILINE):
        return "no kernel"
    return " ".join(word for word in FORBIDDEN if re.search(r"(?<![\w.])" + word + r"\b", text))


def name_of(case):
    return os.path.relpath(case[0], GOLDEN).replace(os.sep, "-")


def check_case(options, ptxas, case, kind, chip):
    """What is wrong with one model for one chip, empty if nothing is, and what ptxas says of its kernels."""
    folder, arguments = case
    name = name_of(case) + ("" if kind == "f32" else "." + kind.replace(" ", "-"))
    output = os.path.abspath(os.path.join(options.keep, f"{name}.{chip}.ptx"))
    model = [] if any(argument.endswith(".weft") for argument in arguments) else ["."]
    weftc, emulator = (os.path.abspath(os.path.join(options.build, "bin", tool)) for tool in ("weftc", "weft-gpu-emu"))
    status, text = run([weftc, *model, *arguments, *TYPES[kind], "--target=nvptx", "--march=" + chip, "--name=model", "-o", output], folder)
    if status == 0:
        status, text = run([emulator, "--check", output])
    assembled = Assembled(text if status else check_text(output))
    if ptxas and not assembled.problem:
        assembled = assemble(ptxas, output, chip)
    spills = ", ".join(kernel for kernel in assembled.spills if kernel not in SPILLS.get(name, {}))
    problem = assembled.problem.strip() or (f"ptxas spills registers of {spills}" if spills else "")
    return assembled._replace(problem=f"{name} ({chip}): {problem}" if problem else "")


def types_of(options, case):
    if options.types == "sample":
        return TYPES if name_of(case) in SAMPLE else ["f32"]
    return TYPES if options.types == "all" else options.types.split(",")


def check(options):
    ptxas = find_ptxas()
    chosen = [case for case in cases() if not options.names or name_of(case) in options.names]
    missing = set(options.names) - {name_of(case) for case in chosen}
    if missing:
        sys.exit("check_gpu.py: no golden model " + ", ".join(sorted(missing)))
    work = [(case, kind, chip) for case in chosen for kind in types_of(options, case) for chip in CHIPS]
    unknown = {kind for _, kind, _ in work} - set(TYPES)
    if unknown:
        sys.exit(f"check_gpu.py: no type {', '.join(sorted(unknown))}; there are {', '.join(TYPES)}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda item: check_case(options, ptxas, *item), work))
    problems = [result.problem for result in results if result.problem]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(work) - len(problems)} of {len(work)} files of PTX are as they should be")
    spills, waits = sum(len(result.spills) for result in results), sum(result.waits for result in results)
    said = f"{spills} kernels spill registers, {waits} waits for products added"
    print(f"ptxas: {ptxas}, {said}" if ptxas else "ptxas: skipped, it is not installed")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders of test/Golden (default: all)")
    parser.add_argument("--types", default="sample", help="of test/Golden/types.json, or sample (default), or all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the PTX")
    options = parser.parse_intermixed_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        sys.exit(check(options))
    with tempfile.TemporaryDirectory() as options.keep:
        sys.exit(check(options))


if __name__ == "__main__":
    main()
