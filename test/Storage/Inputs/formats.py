"""formats.py ROOT MODEL INPUTS: in each format of make_quantised.py, the model as it is published gives what it gives with the
numbers that it stands for."""
import os
import subprocess
import sys


def run(*command):
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(" ".join(command) + ": failed")


def main(root, model, inputs):
    sys.path.insert(0, os.path.join(root, "utils"))
    import make_quantised

    for name in make_quantised.FORMATS:
        print(name, flush=True)
        plain = name + "-plain"
        script = os.path.join(root, "utils", "make_quantised.py")
        run(sys.executable, script, model, name, "-o", name, "--dequantised", plain)
        run("weftc", plain, "-O0", "-o", "plain.so")
        run("weft-run", "plain.so", "--inputs", inputs, "--outputs", "plain.out")
        run("weftc", name, "-O0", "-o", "coded.so")
        run("weft-run", "coded.so", "--inputs", inputs, "--expect", "plain.out", "--tolerance=1e-6")


if __name__ == "__main__":
    main(*sys.argv[1:])
