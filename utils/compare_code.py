#!/usr/bin/env python3
"""Compares the code of all golden models before and after a change that should not change it.

  compare_code.py record BUILD FOLDER     compiles every folder of test/Golden with BUILD/bin/weftc, for one fixed
                                          processor, into assembly in FOLDER
  compare_code.py diff BEFORE AFTER       compares two such folders function by function

Labels carry the number of their function, which another function in front of it changes: they are compared without it.
The last line counts the models whose code is the same, byte for byte otherwise; the exit status is 1 if there are others.
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
GOLDEN = os.path.join(ROOT, "test", "Golden")


def cases():
    """Folder and further arguments of every golden case."""
    for folder, _, files in sorted(os.walk(GOLDEN)):
        if not any(re.fullmatch(r"inputs.*\.safetensors", file) for file in files):
            continue
        path = os.path.join(folder, "options_weftc.txt")
        options = shlex.split(open(path, encoding="utf-8").read()) if os.path.exists(path) else []
        yield folder, options


def record(options):
    weftc = os.path.abspath(os.path.join(options.build, "bin", "weftc"))
    os.makedirs(options.folder, exist_ok=True)

    def compile_case(case):
        folder, arguments = case
        name = os.path.relpath(folder, GOLDEN).replace(os.sep, "-")
        model = [] if any(argument.endswith(".weft") for argument in arguments) else ["."]
        output = os.path.abspath(os.path.join(options.folder, name + ".s"))
        command = [weftc, *model, *arguments, "--march=" + options.march, "--name=model", "-o", output]
        if not any(argument.endswith("weights") or argument.startswith("--weights") for argument in arguments):
            command.append("--no-weights")
        process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if process.returncode != 0:
            # What fails to compile is compared by what it prints.
            with open(output, "w", encoding="utf-8") as file:
                file.write(process.stderr)
        return process.returncode == 0

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        compiled = list(pool.map(compile_case, cases()))
    print(f"{sum(compiled)} of {len(compiled)} models compiled")


def functions(path):
    """The text of every function and constant, by name."""
    parts, name = {}, ""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if match := re.match(r"\s*\.type\s+([^,\s]+),@", line):
                name = match[1]
            line = re.sub(r"\.L(BB|CPI|JTI|func_begin|func_end)\d+", r".L\1", line)
            parts[name] = parts.get(name, "") + line
    return parts


def compare_models(before, after):
    """What was left out, added or changed between two files, as a line of text; empty if nothing was."""
    old, new = functions(before), functions(after)
    changes = [(label, sorted(names)) for label, names in (
        ("changed", [name for name in old.keys() & new.keys() if old[name] != new[name]]),
        ("left out", old.keys() - new.keys()),
        ("added", new.keys() - old.keys()))]
    return "; ".join(f"{label} {len(names)} of {len(old)}: {' '.join(name or '(file)' for name in names[:6])}"
                     for label, names in changes if names)


def diff(options):
    before, after = ({name for name in os.listdir(folder) if name.endswith(".s")}
                     for folder in (options.before, options.after))
    different = 0
    for name in sorted(before | after):
        if name not in before or name not in after:
            change = "only in " + (options.before if name in before else options.after)
        else:
            change = compare_models(os.path.join(options.before, name), os.path.join(options.after, name))
        if change:
            print(f"{name.removesuffix('.s')}: {change}")
            different += 1
    print(f"{len(before | after) - different} of {len(before | after)} models have the same code")
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("build")
    recording.add_argument("folder")
    recording.add_argument("--march", default="x86-64-v4")
    recording.add_argument("--jobs", type=int, default=os.cpu_count())
    comparing = commands.add_parser("diff")
    comparing.add_argument("before")
    comparing.add_argument("after")
    options = parser.parse_args()
    sys.exit(record(options) if options.command == "record" else diff(options))


if __name__ == "__main__":
    main()
