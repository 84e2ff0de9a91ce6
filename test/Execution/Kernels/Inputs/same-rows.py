"""same-rows.py INPUTS ROWS LIBRARY... [--like LIBRARY] [--threads 1,3] [--weights FILE]: the first rows of the inputs give the first rows of the
results, to the last bit, for each number of ROWS (7,13,97) and of threads. All rows are computed by one thread of LIBRARY, or of another one."""
import argparse
import subprocess
import sys

import tensorfile


def cut(tensors, rows):
    return {name: (dtype, [rows] + shape[1:], data[: len(data) // shape[0] * rows]) for name, (dtype, shape, data) in tensors.items()}


def run(options, library, inputs, threads):
    command = ["weft-run", f"./{library}", "--inputs", inputs, f"--threads={threads}", "--outputs", "rows-out.st"]
    subprocess.run(command + ([f"--weights={options.weights}"] if options.weights else []), check=True, stdout=subprocess.DEVNULL)
    return tensorfile.unpack("rows-out.st")


def numbers(text):
    return [int(number) for number in text.split(",")]


parser = argparse.ArgumentParser()
parser.add_argument("inputs")
parser.add_argument("rows", type=numbers)
parser.add_argument("libraries", nargs="+")
parser.add_argument("--like")
parser.add_argument("--threads", type=numbers, default=[1, 3])
parser.add_argument("--weights")
options = parser.parse_args()
tensors = tensorfile.unpack(options.inputs)
for library in options.libraries:
    whole = run(options, options.like or library, options.inputs, 1)
    every = {shape[0] for _, shape, _ in tensors.values()}
    for rows in [*every, *options.rows]:
        tensorfile.pack("rows-in.st", cut(tensors, rows))
        for threads in options.threads:
            if run(options, library, "rows-in.st", threads) != cut(whole, rows):
                sys.exit(f"{library}: the first {rows} rows differ with {threads} threads")
