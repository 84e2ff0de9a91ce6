#!/usr/bin/env python3
"""Makes pages of the tables of options that the tools have.
  option_pages.py --folder OUT TOOL...   man pages, completions for bash, zsh and fish
  option_pages.py --table TOOL...        prints docs/generated/Options.md
Each TOOL is asked for its options by --describe-options."""
import itertools
import json
import os
import re
import subprocess
import sys

from completions import bash, fish, flag, has_help, is_told, one_line, zsh

# What has flags of MLIR's own, hundreds of them, gets a short page and no completions.
OTHERS = {
    "weft-opt": ("runs passes on the stages of Weft",
                 "weft-opt [options] [FILE.mlir]",
                 "It reads a module of any stage as MLIR text (weftc --emit=graph), runs passes and prints the result. "
                 "weft-opt --help lists the passes and pipelines; docs/generated/Passes.md describes them."),
    "weft-lsp-server": ("a language server for the stages of Weft as MLIR text",
                        "weft-lsp-server",
                        "Editors start it; it speaks the Language Server Protocol on its standard input and output."),
}


def describe(program):
    table = json.loads(subprocess.run([program, "--describe-options"], check=True, stdout=subprocess.PIPE).stdout)
    table["tool"] = os.path.basename(program)
    return table


def spelling(option):
    """The option with its value: -o FILE, -D NAME=VALUE, --emit=STAGE, --bench[=N]."""
    value = option.get("value")
    if not value:
        return flag(option)
    if option.get("optional"):
        return f"{flag(option)}[={value}]"
    if flag(option).startswith("--"):
        return f"{flag(option)}={value}"
    return f"{flag(option)} {value}"


def usage(table):
    words = [argument.split(" ")[0] for argument in table["arguments"]]
    return " ".join([table["tool"], "[options]", *words])


# --- man pages ---


def roff(text):
    """Text that roff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def man_paragraphs(text):
    """Lines that begin with two spaces stay lines; others are paragraphs."""
    lines = []
    for kind, group in itertools.groupby(text.split("\n"), lambda line: line and line[:2] == "  "):
        if kind == "":
            continue
        block = [roff(line) for line in group]
        lines += [".PP"] if lines else []
        lines += [".nf", *block, ".fi"] if kind else block
    return lines


def man_head(tool, version, summary, synopsis):
    return [f'.TH {tool.upper()} 1 "" "Weft {version}"', ".SH NAME", f"{roff(tool)} \\- {roff(summary)}",
            ".SH SYNOPSIS", f".B {roff(synopsis)}"]


def man_option(option):
    lines = [".TP", f".B {roff(spelling(option))}", roff(one_line(option["help"]))]
    values = option.get("values", [])
    if has_help(option):
        for word in values:
            lines += [".RS", ".TP", f".B {roff(word['name'])}", roff(word["help"]), ".RE"]
    elif not is_told(option):
        lines.append(roff("Values: " + ", ".join(word["name"] for word in values) + "."))
    return lines


def man_page(table):
    lines = man_head(table["tool"], table["version"], table["summary"], usage(table))
    lines += [".SH DESCRIPTION"] + man_paragraphs(table["details"])
    lines += [".SH OPTIONS"]
    for option in table["options"]:
        lines += man_option(option)
    lines += [".SH EXIT STATUS"]
    for status, meaning in enumerate(table["statuses"]):
        lines += [".TP", f".B {status}", roff(meaning)]
    return lines + see_also(table["tool"])


def short_man_page(tool, version):
    summary, synopsis, text = OTHERS[tool]
    return man_head(tool, version, summary, synopsis) + [".SH DESCRIPTION", roff(text)] + see_also(tool)


def see_also(tool):
    others = [name for name in ("weftc", "weft-run", "weft-gpu-emu", *OTHERS) if name != tool]
    return [".SH SEE ALSO", ",\n".join(f".BR {roff(name)} (1)" for name in others)]


# --- the page of docs/generated ---


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def docs(table):
    lines = [f"## {table['tool']}", "", f"`{usage(table)}`: {table['summary']}.", "", "```text",
             table["details"].strip("\n"), "```", "", "| option | meaning |", "|---|---|"]
    for option in table["options"]:
        text = one_line(option["help"])
        if not is_told(option) and not has_help(option):
            text += ": " + ", ".join(f"`{word['name']}`" for word in option["values"])
        lines.append(f"| `{cell(spelling(option))}` | {cell(text)} |")
    statuses = [f"{status} {meaning}" for status, meaning in enumerate(table["statuses"])]
    return lines + ["", f"Exit status: {', '.join(statuses)}.", ""]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def write_folder(out, tables):
    for table in tables:
        tool = table["tool"]
        write(f"{out}/man/man1/{tool}.1", "\n".join(man_page(table)) + "\n")
        write(f"{out}/bash-completion/completions/{tool}", bash(table))
        write(f"{out}/zsh/_{tool}", zsh(table))
        write(f"{out}/fish/vendor_completions.d/{tool}.fish", fish(table))
    for tool in OTHERS:
        write(f"{out}/man/man1/{tool}.1", "\n".join(short_man_page(tool, tables[0]["version"])) + "\n")


def main(arguments):
    if len(arguments) > 2 and arguments[0] == "--folder":
        write_folder(arguments[1], [describe(program) for program in arguments[2:]])
    elif len(arguments) > 1 and arguments[0] == "--table":
        lines = ["# Options", "", "This page is written by `utils/generate-docs.sh` from the tools' own tables of options.", ""]
        for program in arguments[1:]:
            lines += docs(describe(program))
        print("\n".join(lines).rstrip("\n"))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
