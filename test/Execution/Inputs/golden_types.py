"""golden_types.py [--gpu | --bits | --nibbles] [--types TYPE,...] ROOT SCRATCH CASE...: compiles golden cases in every type of test/Golden/types.json, compares them with the
reference within the bounds there, and their ways to run with each other. With --gpu the types that are `for` gpu are compared, in the
emulator, with --bits those that are `for` bits, with --nibbles codes of 4 bits, which need a case whose rows are whole groups.

A type has flags of weftc; some have a `bound`, relative to the largest magnitude of a result, with `cases` for other bounds of single
cases, and are compared here. `for` says what else looks at a type: utils/quality.py and utils/check_gpu.py, and for which bits are
compared here; utils/check_bits.py does so for all."""
import argparse
import json
import os
import shutil
import subprocess
import sys


def run(*command):
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"{' '.join(command)}: failed")


def compare(folder, library, bound, *emulator):
    run(*emulator, "weft-run", library, "--inputs", os.path.join(folder, "inputs.safetensors"),
        "--expect", os.path.join(folder, "expected.safetensors"), f"--tolerance={bound}")


def compile_for_gpu(folder, library, flags):
    run("weftc", folder, *flags.split(), "--target=nvptx", "--march=sm_80", "-o", library)


def check_bits(checker, folder, kind, scratch):
    """The library that was compiled for it."""
    options = argparse.Namespace(
        bin=os.path.dirname(shutil.which("weft-run")), weftc="weftc", inputs="inputs.safetensors")
    case = checker.Case(options, folder, kind, scratch)
    try:
        case.check()
    except checker.Different as problem:
        sys.exit(f"{folder}, {kind}: {problem}")
    return case.single


def parse_arguments():
    parser = argparse.ArgumentParser()
    for only in "gpu", "bits", "nibbles":
        parser.add_argument(f"--{only}", dest="only", action="store_const", const=only)
    parser.add_argument("--types", type=lambda names: names.split(","))
    parser.add_argument("root")
    parser.add_argument("scratch")
    parser.add_argument("cases", nargs="+")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    only, root, scratch = arguments.only, arguments.root, arguments.scratch
    gpu = only == "gpu"
    golden = os.path.join(root, "test", "Golden")
    with open(os.path.join(golden, "types.json"), encoding="utf-8") as file:
        types = json.load(file)
    if arguments.types:
        types = {name: types[name] for name in arguments.types}
    os.makedirs(scratch, exist_ok=True)
    library = os.path.join(scratch, "m.so")
    for kind, one in types.items():
        unknown = [case for case in one.get("cases", {}) if not os.path.isdir(os.path.join(golden, case))]
        if unknown:
            sys.exit(f"types.json: {kind}: no case is called {', '.join(unknown)}")
    sys.path.append(os.path.join(root, "utils"))
    import check_bits as checker  # pylint: disable=import-outside-toplevel

    for case in arguments.cases:
        folder = os.path.join(golden, case)
        for kind, one in types.items():
            if only and only not in one["for"] or gpu and "bound" not in one:
                continue
            bound = one.get("cases", {}).get(case, one.get("bound"))
            if bound is None and "bits" not in one["for"]:
                continue
            print(f"{case}, {kind}: within {bound}", flush=True)
            compiled = library
            if gpu:
                compile_for_gpu(folder, library, one["flags"])
            elif "bits" in one["for"]:
                compiled = check_bits(checker, folder, kind, scratch)
            else:
                run("weftc", folder, *one["flags"].split(), "-o", library)
            if bound is not None:
                compare(folder, compiled, bound, *(["weft-gpu-emu", "--"] if gpu else []))


if __name__ == "__main__":
    main()
