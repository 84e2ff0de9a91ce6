"""Compiles every ```weft block of a Markdown file: one with a model to formulas, another one is parsed."""
import pathlib
import re
import subprocess
import sys

page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
failed = 0
blocks = re.findall(r"```weft\n(.*?)```", page.read_text(), re.DOTALL)
for number, block in enumerate(blocks):
    path = folder / f"example{number}.weft"
    path.write_text(block)
    stage = "graph" if re.search(r"^model ", block, re.MULTILINE) else "weft"
    done = subprocess.run(["weftc", f"--emit={stage}", path], capture_output=True, text=True)
    if done.returncode or done.stderr:
        failed += 1
        print(done.stderr)
print(f"{len(blocks) - failed} of {len(blocks)} examples compile")
