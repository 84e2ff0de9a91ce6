"""Compiles ahead of what is timed, in the order of need, on the processors that the timing leaves."""
import concurrent.futures
import os
import re
import subprocess
import threading

import weft
from device import Missing


class Ahead:
    def __init__(self, binaries, folder):
        self.weftc, self.folder = os.path.join(binaries, "weftc"), folder
        self.pool = concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 2))
        self.done, self.running, self.lock, self.is_stopped = {}, set(), threading.Lock(), False

    def start(self, work, element, architecture):
        source, library, flags = weft.write_work(self.folder, work, element)
        if library not in self.done:  # work on one model shares its library
            self.done[library] = self.pool.submit(self.compile, source, library, ["--march=" + architecture, *flags])
        return self.done[library]

    def compile(self, source, library, flags):
        command = [self.weftc, source, "--target=nvptx", "--name=m", "-o", library, *flags]
        with self.lock:
            if self.is_stopped:
                raise Missing("not compiled")
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.running.add(process)
        message = process.communicate()[1]
        self.running.discard(process)
        if process.returncode:
            error = re.search(r"error: (.*)", message)
            raise Missing("weftc: " + (error[1] if error else message[-200:]))
        return library

    def stop(self):
        """Ends what nobody will wait for, so that its files can be removed."""
        with self.lock:
            self.is_stopped = True
            for process in list(self.running):
                process.kill()
        self.pool.shutdown(cancel_futures=True)
