"""golden_types.py ROOT SCRATCH [--gpu] CASE...: compiles golden cases in every type of test/Golden/types.json, compares them with the
reference within the bounds there, and their ways to run with each other. With --gpu the types that are `for` gpu are compared, in the
emulator.

A type has flags of weftc; some have a `bound`, relative to the largest magnitude of a result, with `cases` for other bounds of single
cases, and are compared here. `for` says what else looks at a type: utils/check_bits.py, utils/quality.py and utils/check_gpu.py."""
import json
import os
import shutil
import subprocess
import sys


def run(*command):
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"{' '.join(command)}: failed")


def compare(folder, library, flags, bound, gpu):
    target, emulator = (["--target=nvptx", "--march=sm_80"], ["weft-gpu-emu", "--"]) if gpu else ([], [])
    run("weftc", folder, *flags.split(), *target, "-o", library)
    run(*emulator, "weft-run", library, "--inputs", os.path.join(folder, "inputs.safetensors"),
        "--expect", os.path.join(folder, "expected.safetensors"), f"--tolerance={bound}")


def main(root, scratch, *cases):
    gpu = cases[0] == "--gpu"
    cases = cases[gpu:]
    golden = os.path.join(root, "test", "Golden")
    with open(os.path.join(golden, "types.json"), encoding="utf-8") as file:
        types = json.load(file)
    os.makedirs(scratch, exist_ok=True)
    library = os.path.join(scratch, "m.so")
    for kind, one in types.items():
        unknown = [case for case in one.get("cases", {}) if not os.path.isdir(os.path.join(golden, case))]
        if unknown:
            sys.exit(f"types.json: {kind}: no case is called {', '.join(unknown)}")
    for case in cases:
        folder = os.path.join(golden, case)
        for kind, one in types.items():
            if "bound" not in one or (gpu and "gpu" not in one["for"]):
                continue
            bound = one.get("cases", {}).get(case, one["bound"])
            print(f"{case}, {kind}: within {bound}", flush=True)
            compare(folder, library, one["flags"], bound, gpu)
        if gpu:
            continue
        binaries = os.path.dirname(shutil.which("weftc"))
        run(sys.executable, os.path.join(root, "utils", "check_bits.py"), "--bin", binaries, "--inputs", "inputs.safetensors",
            folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
