"""Published formats of quantised weights: size, time and memory of packing, and the time of a prompt and of a token, of
a decoder of TinyLlama's shape with random codes; beside llama.cpp where that reads the format, in turns.

python3 utils/bench_formats.py --work DIR [--peers build/peers] [--threads 1] [q4_0 q8_0 q4_k gptq awq]

DIR keeps the checkpoints (0.6 to 1.2 GB each) and what is compiled. `--prepare` makes only these, so that the timing can
run when the machine is quiet."""
import argparse
import json
import os
import random
import re
import resource
import statistics
import struct
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "utils", "peers"))
import gguf  # noqa: E402
import run_llama  # noqa: E402
import run_weft  # noqa: E402
import workloads  # noqa: E402

GROUP = 128
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": GROUP, "desc_act": False, "sym": True, "checkpoint_format": "gptq"}
AWQ = {"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemm", "zero_point": True}
FORMATS = {"q4_0": None, "q8_0": None, "q4_k": None, "gptq": GPTQ, "awq": AWQ}
POSITIONS = 512


# ---------------------------------------------------------------------------- checkpoints


def matrices(config):
    hidden, inner, layers, _ = gguf.sizes(config)
    wide = hidden // config["num_attention_heads"] * config["num_key_value_heads"]
    for layer in range(layers):
        for name, rows, columns in (("q", hidden, hidden), ("k", wide, hidden), ("v", wide, hidden), ("o", hidden, hidden)):
            yield f"model.layers.{layer}.self_attn.{name}_proj", rows, columns
        for name, rows, columns in (("gate", inner, hidden), ("up", inner, hidden), ("down", hidden, inner)):
            yield f"model.layers.{layer}.mlp.{name}_proj", rows, columns


def tensors(config, kind):
    """Name, type, shape and what fills it."""
    hidden, _, layers, vocabulary = gguf.sizes(config)
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        yield name, "F16", (vocabulary, hidden), "numbers"
    for name in ["model.norm"] + [f"model.layers.{i}.{n}_layernorm" for i in range(layers) for n in ("input", "post_attention")]:
        yield name + ".weight", "F16", (hidden,), "ones"
    for name, rows, columns in matrices(config):
        words = (columns // 8, rows) if kind == "gptq" else (columns, rows // 8)
        yield name + ".qweight", "I32", words, "bits"
        yield name + ".qzeros", "I32", (columns // GROUP, rows // 8), "bits"
        yield name + ".scales", "F16", (columns // GROUP, rows), "numbers"


def write_folder(folder, config, kind):
    """config.json and model.safetensors with made-up numbers."""
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(1)
    pools = {"bits": draw.randbytes(1 << 20), "ones": struct.pack("<e", 1) * 65536,
             "numbers": b"".join(struct.pack("<e", abs(draw.gauss(0, 0.004))) for _ in range(99991))}
    header, at, table = {}, 0, list(tensors(config, kind))
    for name, element, shape, _ in table:
        size = {"F16": 2, "I32": 4}[element]
        for extent in shape:
            size *= extent
        header[name] = {"dtype": element, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({**config, "quantization_config": FORMATS[kind]}, file)
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, _, _, fill in table:
            first, last = header[name]["data_offsets"]
            pool = pools[fill]
            file.write((pool * ((last - first) // len(pool) + 1))[: last - first])


def checkpoint(work, kind):
    config = workloads.CONFIGS["tinyllama"]
    if FORMATS[kind] is None:
        path = os.path.join(work, f"tinyllama-{kind}.gguf")
        gguf.write(path, "tinyllama", kind)
        return path
    path = os.path.join(work, f"tinyllama-{kind}")
    if not os.path.exists(os.path.join(path, "config.json")):
        write_folder(path, config, kind)
    return path


# ---------------------------------------------------------------------------- Weft


def compile_format(weftc, work, kind, flags):
    """The library; prints what packing took."""
    library = os.path.join(work, f"weft-{kind}.so")
    start = time.perf_counter()
    child = subprocess.Popen([weftc, checkpoint(work, kind), "--name=m", "-o", library, "--report=weights", *flags],
                             stderr=subprocess.PIPE, text=True)
    report = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(report)
    bits = re.findall(r"^ +(\d+) +([\d.]+)  all$", report, re.M)[-1]
    print(f"{kind}: {int(bits[0]) / 1e6:.0f} MB, {bits[1]} bits a number, weftc {time.perf_counter() - start:.1f} s, "
          f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time, {usage.ru_maxrss / 1024:.0f} MB at most", flush=True)
    return library


def weft_calls(library, threads):
    loaded = run_weft.Library(library)
    loaded.functions.weft_set_threads(threads)
    return [run_weft.prepare_step(loaded, workloads.find(f"TinyLlama {name}")) for name in ("prefill 512", "decode at 512")]


# ---------------------------------------------------------------------------- llama.cpp


def llama_calls(llama, path, threads):
    model = run_llama.Model(llama.api, path, threads, 1024)

    def token():
        model.token(POSITIONS)
    model.prompt(POSITIONS)
    return [lambda: model.prompt(POSITIONS), token]


# ---------------------------------------------------------------------------- timing


def measure(systems, rounds, tokens):
    """Medians in milliseconds of a prompt and of a token, for each system."""
    times = {name: ([], []) for name in systems}
    for _ in range(rounds):
        for name, calls in systems.items():
            for call, count, own in zip(calls, (1, tokens), times[name]):
                for _ in range(count):
                    start = time.perf_counter()
                    call()
                    own.append(1e3 * (time.perf_counter() - start))
    return {name: [statistics.median(own) for own in both] for name, both in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", default=list(FORMATS))
    parser.add_argument("--work", required=True)
    parser.add_argument("--peers", default="build/peers")
    parser.add_argument("--weftc", default=os.path.join(ROOT, "build/release/bin/weftc"))
    parser.add_argument("--flags", default="", help="of weftc: --store=f32")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=15)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--compiled", action="store_true", help="what --prepare made is timed")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    llama = None
    if not args.prepare and os.path.isdir(os.path.join(args.peers, run_llama.PACKAGE)):
        llama = run_llama.Llama(args.peers)
    for kind in args.formats:
        library = os.path.join(args.work, f"weft-{kind}.so")
        if not args.compiled:
            library = compile_format(args.weftc, args.work, kind, args.flags.split())
        if args.prepare:
            continue
        systems = {"Weft": weft_calls(library, args.threads)}
        if llama and FORMATS[kind] is None:
            systems["llama.cpp " + llama.version] = llama_calls(llama, checkpoint(args.work, kind), args.threads)
        for name, (prompt, token) in measure(systems, args.rounds, args.tokens).items():
            print(f"{kind}: {name}: prompt of {POSITIONS} {prompt:.0f} ms, token {token:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
