"""Runs a command whose stderr is a terminal, and prints what that was shown: every line that was written over another,
then what is left at the end."""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stderr=slave)
os.close(slave)
shown = b""
while True:
    try:
        part = os.read(master, 4096)
    except OSError:  # Linux says so when the last writer is gone
        break
    if not part:
        break
    shown += part
lines = shown.decode().split("\r")
for line in lines[:-1]:
    if line.strip():
        print("line:", line.rstrip())
print(f"rest: {lines[-1]!r}")
sys.exit(process.wait())
