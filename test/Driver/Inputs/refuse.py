"""refuse.py CASES PROGRAM: the program ends with status 1 and the sentence for every file of the list."""
import subprocess
import sys

with open(sys.argv[1]) as file:
    cases = [line.rstrip("\n").split("\t") for line in file]
for path, reason in cases:
    run = subprocess.run([sys.argv[2], "--inputs", path], capture_output=True, text=True)
    start = "%s: error: %s: " % (sys.argv[2], path)
    if run.returncode != 1 or not run.stderr.startswith(start) or reason not in run.stderr:
        sys.exit("%s: status %d, %r, expected %r" % (path, run.returncode, run.stderr, reason))
print("%d files are refused" % len(cases))
