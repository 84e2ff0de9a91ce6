"""A system that is timed is a process of its own, which takes turns with the others: one JSON request a line.

{"prepare": NAME, "type": T, "threads": N} answers {"version": V} or {"missing": why}; {"turn": SECONDS} makes calls for
about so long and answers {"ms": the median of their times}; {"free": 1} answers {} when its memory is given back.
"""
import gc
import json
import os
import statistics
import subprocess
import sys
import time

import workloads


class Missing(Exception):
    """This system has no such work, or not in this type."""


def turn(call, seconds):
    """The median of the milliseconds of calls; the first brings caches back and is not counted where that is cheap."""
    start = time.perf_counter()
    call()
    first = time.perf_counter() - start
    times = [first] if first > seconds else []
    while not times or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e3 * statistics.median(times)


def serve(prepare, version):
    """Answers requests on standard input; prepare(work, type, threads) returns a function that does the work once."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print does not mix with answers
    call = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "prepare" in request:
                call = prepare(workloads.find(request["prepare"]), request["type"], request["threads"])
                call()
                answer = {"version": version}
            elif "turn" in request:
                answer = {"ms": turn(call, request["turn"])}
            else:
                call, answer = None, {}
                gc.collect()
        except Missing as missing:
            call, answer = None, {"missing": str(missing)}
        except Exception as error:  # one cell less, and the table says why
            call, answer = None, {"missing": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
        print(json.dumps(answer), file=answers, flush=True)


class Worker:
    """The other end: a process of a script here, started when it is first asked."""

    def __init__(self, script, arguments, python=sys.executable):
        self.script, self.arguments, self.python = script, arguments, python
        self.process = None

    def ask(self, request):
        if not self.process:
            path = os.path.join(os.path.dirname(os.path.abspath(__file__)), self.script)
            self.process = subprocess.Popen([self.python, path] + self.arguments, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            status = self.process.wait()
            self.process = None
            return {"missing": f"{self.script} ended with status {status}"}
        return json.loads(answer)

    def settle(self, most=1.0):
        """Waits until its threads have stopped: some spin for 30 ms after their work, and would take a core from what is timed next."""
        end = time.perf_counter() + most
        before = self.ticks()
        while time.perf_counter() < end:
            time.sleep(0.05)  # a tick is 10 ms
            now = self.ticks()
            if now == before:
                return
            before = now

    def ticks(self):
        """Of processor time, those of the system included."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
            self.process = None
