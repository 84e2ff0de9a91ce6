"""The table of utils/bench_peers.py: written, read again, and compared with an older one."""
import json
import platform
import re

HEAD = ["workload", "type", "threads", "limit", "best peer", "Weft", "Weft/peer", "Weft/limit"]
UNITS = ("avx2", "fma", "avx512f", "avx512_bf16", "avx512_fp16", "avx512_vnni", "avx_vnni", "amx_bf16", "amx_int8",
         "asimd", "bf16", "i8mm", "sve")


def machine():
    """Model, number, cores and features, for the heading."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return platform.processor() or platform.machine()
    told = dict(re.findall(r"^(\w[\w ]*?)\s*: (.*)$", text.split("\n\n")[0], re.M))
    flags = (told.get("flags") or told.get("Features", "")).split()
    return (f"{told.get('model name', platform.machine())} (family {told.get('cpu family', '?')}, model "
            f"{told.get('model', '?')}), {len(re.findall('^processor', text, re.M))} processors; "
            + ", ".join(flag for flag in UNITS if flag in flags))


def time(milliseconds):
    return "" if milliseconds is None else f"{milliseconds:.4g} ms"


def ratio(value):
    return "" if value is None else f"{value:.2f}"


def row(cell):
    peer = f"{cell['peer']} {time(cell['peer_ms'])}" if cell["peer"] else "none"
    weft = time(cell["weft_ms"]) or cell["weft"]
    return "| " + " | ".join([cell["workload"], cell["type"], str(cell["threads"]), time(cell["limit_ms"] or None), peer,
                              weft, ratio(cell["ratio"]), ratio(cell["of_limit"])]) + " |"


def header():
    return "| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|"


def read(path):
    """Ratios of an older table (Markdown, or JSON of --json): (workload, type, threads) to the ratios."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.lstrip().startswith("{"):
        cells = json.loads(text)["cells"]
        return {(c["workload"], c["type"], c["threads"]): (c["ratio"], c["of_limit"]) for c in cells}
    found = {}
    for line in text.splitlines():
        parts = [part.strip() for part in line.strip().strip("|").split("|")]
        if line.startswith("| ") and len(parts) == len(HEAD) and parts[2].isdigit():
            found[parts[0], parts[1], int(parts[2])] = tuple(float(p) if p else None for p in parts[6:8])
    return found


def worse(cells, older, share=0.05):
    """What became slower against the peer, or where none is, against the limit: sentences."""
    lines = []
    for cell in cells:
        before = older.get((cell["workload"], cell["type"], cell["threads"]), (None, None))
        for old, new, than in zip(before, (cell["ratio"], cell["of_limit"]), ("the best peer", "the limit")):
            if old is None:
                continue
            if new is None or round(new, 2) > round(old * (1 + share), 4):
                lines.append(f"{cell['workload']}, {cell['type']}, {cell['threads']} threads: "
                             f"{ratio(new) or 'nothing'} of {than}, {ratio(old)} before")
            break
    return lines
