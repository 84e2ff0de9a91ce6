"""Compares JSON with the text of the same command: compare_json.py KIND JSON TEXT. What is described is written as text
again, from the JSON alone, and has to be the same; of what is measured twice, what does not change has to be."""
import json
import re
import sys


def size(number):
    if abs(number) < 1000:
        return f"{number} B"
    number, units = number / 1000, "kMGTPE"
    while abs(number) >= 999.95:
        number, units = number / 1000, units[1:]
    return f"{number:.1f} {units[0]}B"


def several(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def tensor(kind, one):
    line = f"  {kind} {one['name']}: {one['type']}[{', '.join(map(str, one['shape']))}]"
    if "ids_below" in one:
        line += f", ids below {one['ids_below']}"
    if "default" in one:
        default = one["default"]
        line += ", default " + (default if isinstance(default, str) else f"{default:g}")
    return line


def description(model):
    yield (f"model {model['name']}: {model['parameters']} parameters, compiled by {model['compiler']} for "
           f"{model['target']}{', threaded' if model['threaded'] else ''}")
    for dim in model["dims"]:
        yield f"dim {dim['name']} <= {dim['bound']}"
    for entry in model["entries"]:
        yield f"entry {entry['name']}: scratch {size(entry['scratch_bytes'])}"
        yield from (tensor("input", one) for one in entry["inputs"])
        yield from (tensor("output", one) for one in entry["outputs"])
    for step in model["steps"]:
        yield (f"step {step['name']}: continues {step['entry']} by {step['dim']} positions, state "
               f"{size(step['state_bytes'])}, scratch {size(step['scratch_bytes'])}")
    for state in model["states"]:
        yield f"state {state['name']}: what {state['entry']} writes, its next call reads"
    if model["generate"]:
        yield f"generate {model['generate']['output']} over {model['generate']['dim']}"
    yield f"memory: weights {size(model['weights_bytes'])}, peak of a call {size(model['peak_bytes'])}"


def counts(types):
    return [sum(one[key] for one in types.values()) for key in ("tensors", "elements", "bytes")]


def type_lines(types):
    for name, one in types.items():
        yield f"  {name}: {several(one['tensors'], 'tensor')}, {one['elements']} numbers, {size(one['bytes'])}"


def info(model):
    if model["model_type"]:
        yield f"type {model['model_type']}"
    yield (model["text"] and "text " + model["text"]) + (" of the library" if model["library"] else "") + (
        f", model {model['class']}" if model["class"] else "")
    if model["checkpoint"]:
        tensors, elements, size_in_file = counts(model["checkpoint"]["types"])
        files = model["checkpoint"]["files"]
        yield (f"checkpoint {model['checkpoint']['path']}: {several(tensors, 'tensor')}, {elements} numbers, "
               f"{size(size_in_file)} in {files[0] if len(files) == 1 else several(len(files), 'file')}")
        yield from type_lines(model["checkpoint"]["types"])
    else:
        yield "no checkpoint"
    yield from description(model["model"])
    if model["batch"]:
        yield f"batch {model['batch']}"
    for one in model["attention"]:
        reason = f"; {one['reason']}" if one["reason"] else ""
        yield (f"attention {one['name']} of {'entry' if one['entry'] else 'layer'} {one['function']}: {one['form']}{reason} "
               f"({one['place']})")
    for reason in model["no_step"]:
        yield f"no step: {reason}"
    tensors, elements, stored = counts(model["weights"])
    yield f"weights: {several(tensors, 'tensor')}, {elements} numbers, {size(stored)}"
    yield from type_lines(model["weights"])
    memory = model["memory"]
    sizes = ", ".join(f"{dim['name']} = {memory['sizes'][dim['name']]}" for dim in model["model"]["dims"])
    yield (f"memory{' at ' if sizes else ''}{sizes}: weights {size(memory['weights_bytes'])}, scratch "
           f"{size(memory['scratch_bytes'])}, state {size(memory['state_bytes'])}, peak {size(memory['peak_bytes'])}")


def models(library):
    for model in library:
        entries = f"entries {', '.join(model['entries'])}: " if model["entries"] else ""
        yield (f"{model['model_type']:<24} {model['class']:<40} {entries}{', '.join(model['outputs'])}"
               f"{'; generates' if model['generates'] else ''}")


def bench(measured):
    """What is the same in both: what was called, and how often."""
    for one in measured["lengths"]:
        assert 0 < one["min_ms"] <= one["median_ms"], one
        sizes = sorted(f"{name} = {value}" for name, value in one["sizes"].items())
        yield f"entry {measured['entry']}, {sizes}, threads = {measured['threads']}, {one['runs']} runs"
        yield ", ".join(key for key in ("tokens_per_s", "gflops", "peak_gflops") if key in one)
    yield f"weights {size(measured['memory']['weights_bytes'])}, scratch {size(measured['memory']['scratch_bytes'])}"


def bench_text(text):
    for line in text.splitlines():
        if found := re.match(r"(entry \w+), (.*), (threads = \d+): .*\((\d+ runs)\)(.*)", line):
            yield f"{found[1]}, {sorted(found[2].split(', '))}, {found[3]}, {found[4]}"
            marks = (("tokens_per_s", "tokens/s"), ("gflops", "% of the measured peak"), ("peak_gflops", "(peak: "))
            yield ", ".join(key for key, mark in marks if mark in found[5])
        elif found := re.match(r"memory: (weights .*, scratch .*), resident", line):
            yield found[1]


def profile(measured):
    measured = measured.get("profile", measured)
    total = sum(one["ms"] for one in measured["kernels"])
    assert abs(total - measured["all"]["ms"]) <= 1e-6 * total, (total, measured["all"])
    yield from sorted(f"{one['calls']} {one['name']} {one['location']}".strip() for one in measured["kernels"])


def profile_text(text):
    found = re.findall(r"^ *[0-9.]+ % +[0-9.]+ +(\d+) .*?  (\S+(?: \[[^]]*\])?)(?:  (\S+:\d+:\d+))?$", text, re.M)
    return sorted(" ".join(one).strip() for one in found)


def main():
    kind, path, text_path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    with open(text_path, encoding="utf-8") as file:
        text = file.read()
    made = list({"description": description, "info": info, "models": models, "bench": bench, "profile": profile}[kind](value))
    wanted = list({"bench": bench_text, "profile": profile_text}.get(kind, str.splitlines)(text))
    if kind == "bench" and "profile" in value:
        assert value["profile"]["kernels"], value
    if not made or made != wanted:
        sys.exit("JSON says\n" + "\n".join(made) + "\n\nthe text says\n" + "\n".join(wanted))
    print(f"{len(made)} lines agree")


main()
