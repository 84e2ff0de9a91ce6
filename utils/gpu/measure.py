"""Times a row of the table: Weft, then the others. Runs in a process of its own, as a kernel that fails takes the GPU's context
with it."""
import gc
import statistics
import sys
import time

import baselines
import check
import weft
from device import SWEPT, Device, Missing


def host_time(call, runs=10):
    """The median milliseconds of calls that return when all is done, by the host's clock."""
    call()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


class Measure:
    def __init__(self, options):
        self.options, self.notes, self.found = options, [], None
        self.runs = 2 if options.tiny else 10
        self.device = Device(1 << 16 if options.tiny else SWEPT)

    def others(self):
        """By what they do; imported when they are first asked, as that takes seconds and this process may be begun often."""
        if self.found is None:
            self.found = {kind: baselines.load(kind, self.device, self.notes) for kind in baselines.MODULES}
        return self.found

    def about(self):
        return {"name": self.device.name, "architecture": self.device.architecture,
                "others": {kind: [one.name for one in found] for kind, found in self.others().items()}}

    def copy(self):
        size = 1 << 20 if self.options.tiny else 1 << 30
        return {"size": size, "rate": self.device.copy_rate(size)}

    def shape(self, shape, element, library):
        call = weft.Call(self.device, library)
        try:
            milliseconds, kernels = call.time(self.runs)
            wrong = check.find_wrong(shape, element, call) if self.options.check else ""
        finally:
            call.close()
        return {"call": milliseconds, "kernels": max(kernels, 1e-6), "wrong": wrong}

    def model(self, model, element, library):
        call = weft.ModelCall(library, model)
        try:
            return {"call": host_time(call.run, self.runs)}
        finally:
            call.close()

    def other(self, kind, name, work, element):
        """Milliseconds of another system, or None where it has no such work."""
        baseline = next(one for one in self.others()[kind] if one.name == name)
        try:
            call = baseline.prepare(work, element)
            if not call:
                return {"ms": None}
            return {"ms": max(self.device.time(call, self.runs) if kind == "kernels" else host_time(call, self.runs), 1e-6)}
        finally:
            call = None  # and its tensors
            gc.collect()
            if "torch" in sys.modules:
                sys.modules["torch"].cuda.empty_cache()

    def is_lost(self):
        """Whether a kernel has failed, behind which nothing runs any more."""
        try:
            self.device.call("cuCtxSynchronize")
            return False
        except Missing:
            return True


def serve(connection, options):
    """Answers requests, (name of a method, its arguments), by dictionaries."""
    try:
        measure = Measure(options)
    except Missing as missing:
        connection.send({"missing": str(missing), "fatal": True, "lost": True})
        return
    while True:
        try:
            method, *arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = getattr(measure, method)(*arguments)
        except Missing as missing:
            answer = {"missing": str(missing)}
        except Exception as error:  # one row less
            answer = {"missing": baselines.explain(error)}
        answer["notes"], answer["lost"] = measure.notes, measure.is_lost()
        measure.notes = []
        connection.send(answer)
