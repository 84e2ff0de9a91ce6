"""Interrupts weftc, and runs it twice at a time, into one output: what is there is always whole.

  interrupt.py signals FOLDER RUNS COMMAND...   interrupts COMMAND, which writes into FOLDER, RUNS times at
                                                moments from its start to its end: FOLDER is as it was, or as
                                                the whole command leaves it
  interrupt.py linker FOLDER COMMAND...         interrupts COMMAND while its linker, which is $PATH's cc, sleeps
  interrupt.py race LIBRARY RUNS A B            runs weftc on A and B at once into LIBRARY: it runs afterwards
"""
import os
import signal
import subprocess
import sys
import time

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def contents(folder):
    """The files of a folder by their relative names."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(root, name), folder)] = None
        for name in files:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def interrupt(command, delay, number):
    """The exit status of a command that gets a signal after some seconds."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    time.sleep(delay)
    process.send_signal(number)
    return process.wait()


def signals(folder, runs, command):
    before = contents(folder)
    start = time.time()
    subprocess.check_call(command, stderr=subprocess.DEVNULL)
    duration = time.time() - start
    after = contents(folder)
    assert after != before, "the command changes nothing"
    stopped = 0
    for i in range(runs):
        restore(folder, before)
        number = SIGNALS[i % len(SIGNALS)]
        status = interrupt(command, duration * i / runs, number)
        now = contents(folder)
        if status == 0:
            assert now == after, "a whole run left %s" % sorted(now)
        else:
            stopped += 1
            assert status == -number, "signal %d ended with %d" % (number, status)
            assert now in (before, after), "signal %d after %.3f s left %s" % (
                number, duration * i / runs, sorted(name for name in set(now) | set(before)
                                                    if now.get(name) != before.get(name)))
    assert stopped > runs // 4, "%d of %d runs were interrupted" % (stopped, runs)
    print("%d of %d runs were interrupted" % (stopped, runs))


def restore(folder, before):
    """Every run begins alike."""
    now = contents(folder)
    for name in sorted(set(now) | set(before), reverse=True):
        path = os.path.join(folder, name)
        if name not in before:
            os.rmdir(path) if now[name] is None else os.remove(path)
        elif now.get(name) != before[name]:
            with open(path, "wb") as file:
                file.write(before[name])


def linker(folder, command):
    """The linker gets the signal too: it must not write after weftc has gone."""
    before = contents(folder)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(1000):
        if os.path.exists("linker.pid"):
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM
    with open("linker.pid") as file:
        pid = int(file.read())
    assert not os.path.exists("/proc/%d" % pid) or open("/proc/%d/stat" % pid).read().split()[2] == "Z"
    assert contents(folder) == before, contents(folder)
    print("the linker has ended")


def race(library, runs, models):
    """Afterwards the files are those of one run, whichever it was."""
    names = set()
    for _ in range(runs):
        processes = [subprocess.Popen(["weftc", model, "--random-weights", "-O0", "--threads=1", "-o", library])
                     for model in models]
        assert [process.wait() for process in processes] == [0] * len(models)
        text = subprocess.check_output(["weft-run", library], text=True)
        names.add([line for line in text.splitlines() if line.startswith("entry")][0])
        with open(os.path.splitext(library)[0] + ".h") as file:
            header = file.read()
        assert "Entry '%s'" % text.split("entry ")[1].split(":")[0] in header
    left = [name for name in os.listdir(os.path.dirname(library)) if name.endswith(".tmp")]
    assert not left, left
    print("%d runs, one model's files each time" % runs)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # lit ignores it, and so would weftc
    if sys.argv[1] == "signals":
        signals(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    elif sys.argv[1] == "linker":
        linker(sys.argv[2], sys.argv[3:])
    else:
        race(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
