"""kept.py ROOT MODEL INPUTS [MATRIX [FORMAT,...]]: of formats of make_quantised.py, in how many bits and as which codes its matrices are stored, and that the
model gives what it gives with the numbers that they stand for."""
import os
import re
import subprocess
import sys

# Groups have 32 members. Bits of a matrix of 64 x 256, and its type.
FORMATS = {
    "gptq": (5.0, "(uint4+f16)*f16"),
    "gptq-8": (9.0, "(int8+f16)*f16"),
    "gptq-ordered": (32.0, "f32"),
    "awq": (5.0, "(uint4+f16)*f16"),
    "pack-quantized": (4.5, "int4*f16"),
    "int-quantized": (8.1, "int8*f32"),
    "fp8": (9.0, "fp8*f32"),
    "nvfp4": (5.1, "mxfp4*f16 of f32/16"),
}


def run(*command, **options):
    done = subprocess.run(command, check=False, **options)
    if done.returncode != 0:
        sys.exit(" ".join(command) + ": failed")
    return done


def main(root, model, inputs, matrix="self_attn.q_proj.weight", formats=",".join(FORMATS)):
    script = os.path.join(root, "utils", "make_quantised.py")
    for name in formats.split(","):
        bits, kind = FORMATS[name]
        plain = name + "-plain"
        run(sys.executable, script, model, name, "-o", name, "--dequantised", plain)
        run("weftc", plain, "-O0", "-o", "plain.so")
        run("weft-run", "plain.so", "--inputs", inputs, "--outputs", "plain.out")
        report = run("weftc", name, "-O1", "--no-step", "-o", "coded.so", "--report=weights", stderr=subprocess.PIPE, text=True).stderr
        line = next(line for line in report.splitlines() if matrix in line)
        found = re.match(r" +\d+ +([\d.]+) +(\S+) +(.*?)  ", line)
        if (float(found[1]), found[3]) != (bits, kind) or float(found[2]) != 0:
            sys.exit(f"{name}: expected {bits} bits of {kind}:\n{line}")
        run("weft-run", "coded.so", "--inputs", inputs, "--expect", "plain.out", "--tolerance=1e-5")


if __name__ == "__main__":
    main(*sys.argv[1:])
