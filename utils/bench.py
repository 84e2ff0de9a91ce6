#!/usr/bin/env python3
"""Measures Weft on BERT-base and GPT-2 small shapes with random weights and prints Markdown tables.

Figures: compile time and its parts, object size, memory, latency for one and two threads, GFLOP/s and
the share of the machine's FMA peak, which is measured next to every run. Compare shares, not seconds:
machines differ.

usage: utils/bench.py [--build build/release] [--length 128] [--layers N]... [--keep DIR]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

BERT_BASE = {
    "model_type": "bert", "architectures": ["BertModel"], "vocab_size": 30522, "hidden_size": 768,
    "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act": "gelu",
    "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
    "position_embedding_type": "absolute",
}
GPT2_SMALL = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 50257, "n_embd": 768,
    "n_layer": 12, "n_head": 12, "n_inner": None, "n_positions": 1024,
    "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "scale_attn_weights": True,
}


def run(command):
    """Runs a command; returns (stdout + stderr, wall seconds, peak memory of the child in MB)."""
    start = time.time()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed:\n{output}")
    return output, time.time() - start, usage.ru_maxrss / 1024


def compile_model(bin_dir, folder, config):
    """Compiles; returns a dictionary of figures and the library's path."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    library = os.path.join(folder, "model.so")
    weftc = os.path.join(bin_dir, "weftc")
    output, _, _ = run([weftc, folder, "--no-weights", "-v", "-o", os.path.join(folder, "model.o")])
    parts = re.findall(r"^weftc: (\S+)\s+([0-9.]+) s", output, re.M)
    output, seconds, memory = run([weftc, folder, "--no-weights", "-o", os.path.join(folder, "model.o")])
    figures = {
        "compile": seconds,
        "parts": ", ".join(f"{name} {float(value):.2f}" for name, value in parts),
        "memory": memory,
        "object": os.path.getsize(os.path.join(folder, "model.o")),
    }
    run([weftc, folder, "--random-weights", "-o", library])
    return figures, library


def bench(bin_dir, library, length, threads):
    output, _, _ = run([os.path.join(bin_dir, "weft-run"), library, "--bench", f"--length={length}",
                        f"--threads={threads}", "--json"])
    measured = json.loads(output)
    return measured["lengths"][0], measured["memory"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--layers", type=int, action="append", help="compile BERT-base with N layers too")
    parser.add_argument("--keep", help="work in this folder and keep it")
    arguments = parser.parse_args()
    bin_dir = os.path.join(arguments.build, "bin")
    temporary = tempfile.TemporaryDirectory()
    root = arguments.keep or temporary.name
    models = [("BERT-base", BERT_BASE), ("GPT-2 small", GPT2_SMALL)]

    print("| model | compile (-O2) | parts in s | compiler's memory | object |\n|---|---|---|---|---|")
    libraries = []
    for name, config in models:
        figures, library = compile_model(bin_dir, os.path.join(root, config["model_type"]), config)
        libraries.append((name, library))
        print(f"| {name} | {figures['compile']:.2f} s | {figures['parts']} | {figures['memory']:.0f} MB | "
              f"{figures['object'] / 1024:.0f} KB |")
    for layers in arguments.layers or []:
        config = dict(BERT_BASE, num_hidden_layers=layers)
        folder = os.path.join(root, f"bert-{layers}")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        _, seconds, memory = run([os.path.join(bin_dir, "weftc"), folder, "--no-weights", "-o",
                                  os.path.join(folder, "model.o")])
        size = os.path.getsize(os.path.join(folder, "model.o")) / 1024
        print(f"| BERT-base, {layers} layers | {seconds:.2f} s | | {memory:.0f} MB | {size:.0f} KB |")

    print(f"\n| model, length {arguments.length} | threads | median | min | GFLOP/s | machine's peak | share |"
          "\n|---|---|---|---|---|---|---|")
    notes = []
    for name, library in libraries:
        for threads in (1, 2):
            one, memory = bench(bin_dir, library, arguments.length, threads)
            print(f"| {name} | {threads} | {one['median_ms']:.3f} ms | {one['min_ms']:.3f} ms | {one['gflops']:.1f} | "
                  f"{one['peak_gflops']:.1f} | {100 * one['gflops'] / one['peak_gflops']:.0f} % |")
        notes.append(f"{name}: " + ", ".join(f"{kind} {memory[kind + '_bytes'] / 1e6:.1f} MB"
                                             for kind in ("weights", "scratch", "resident")) + " (peak)")
    print("\nMemory at run time: " + "; ".join(notes) + ".")


if __name__ == "__main__":
    main()
