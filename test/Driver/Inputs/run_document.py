"""Runs the commands of a Markdown page as its reader would.

  run_document.py PAGE ROOT FOLDER

In FOLDER, which is made empty, in one shell after another: each ```sh block is run and must
succeed; a ```text block right after it is what it prints ("..." stands for anything in a line; after
```text numbers-vary, a number stands for any number, and AVX-512 for any vectors). A block under `<!-- file PATH -->` must be the file ROOT/PATH, and is saved under its name. Blocks under
`<!-- not run by the test -->` are passed over.
"""
import os
import re
import shutil
import subprocess
import sys


def blocks(text):
    """Yields (line number, the comment above or "", language, content)."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        if lines[number].startswith("```"):
            language, first = lines[number][3:].strip(), number
            number += 1
            while number < len(lines) and lines[number] != "```":
                number += 1
            above = lines[first - 1] if first else ""
            yield first + 1, above if above.startswith("<!--") else "", language, lines[first + 1 : number]
        number += 1


def matches(pattern, line, vary):
    text = ".*".join(re.escape(part) for part in pattern.split("..."))
    if vary:
        text = re.sub(r"AVX\\-512|[0-9]+(\\\.[0-9]+)?",
                      lambda found: r"[A-Z0-9-]+" if found[0][0] == "A" else r"[0-9]+(?:\.[0-9]+)?", text)
    return re.fullmatch(text, line)


def compare(expected, output, vary):
    return len(expected) == len(output) and all(matches(a, b, vary) for a, b in zip(expected, output))


def main(page, root, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    output = []
    with open(page) as file:
        text = file.read()
    for number, above, language, content in blocks(text):
        where = "%s:%d: " % (page, number)
        saved = re.fullmatch(r"<!-- file (\S+) -->", above)
        if "not run" in above:
            continue
        if saved:
            with open(os.path.join(root, saved.group(1))) as file:
                if file.read() != "\n".join(content) + "\n":
                    sys.exit(where + "differs from " + saved.group(1))
            with open(os.path.join(folder, os.path.basename(saved.group(1))), "w") as file:
                file.write("\n".join(content) + "\n")
        elif language == "sh":
            result = subprocess.run(["sh", "-e", "-c", "\n".join(content)], cwd=folder, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if result.returncode:
                sys.exit("%sstatus %d\n%s" % (where, result.returncode, result.stdout + result.stderr))
            output = result.stdout.splitlines()
        elif language.startswith("text") and not compare(content, output, "numbers-vary" in language):
            sys.exit("%sprinted\n%s" % (where, "\n".join(output)))


main(*sys.argv[1:4])
