"""Times a row of the table: Weft, then the others. Runs in a process of its own, as a kernel that fails takes the GPU's context
with it."""
import gc
import statistics
import sys
import time

import baselines
import check
import shapes
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
        self.options, self.notes = options, []
        self.runs = 2 if options.tiny else 10
        self.device = Device(1 << 16 if options.tiny else SWEPT)
        self.others = {kind: baselines.load(kind, self.device, self.notes) for kind in ("kernels", "models")}

    def about(self):
        return {"name": self.device.name, "architecture": self.device.architecture,
                "others": [one.name for found in self.others.values() for one in found]}

    def time_others(self, kind, work, element):
        def clock(call):
            return self.device.time(call, self.runs) if kind == "kernels" else host_time(call, self.runs)
        times = baselines.times(self.others[kind], work, element, clock, self.notes)
        gc.collect()
        if "torch" in sys.modules:
            sys.modules["torch"].cuda.empty_cache()
        return times

    def ceilings(self):
        """What this machine can do: GB/s of a large copy, TFLOP/s of a large product by others."""
        size, edge = (1 << 20, 64) if self.options.tiny else (1 << 30, 8192)
        found = {"size": size, "edge": edge, "copy": self.device.copy_rate(size)}
        largest = shapes.product(edge, edge, edge)
        for element in self.options.types:
            times = self.time_others("kernels", largest, element)
            if times:
                found[element] = 1e-9 * largest.flops / max(min(times.values()), 1e-6)
        return found

    def shape(self, shape, element, library):
        call = weft.Call(self.device, library)
        try:
            milliseconds, kernels = call.time(self.runs)
            wrong = check.find_wrong(shape, element, call) if self.options.check else ""
        finally:
            call.close()
        return {"call": milliseconds, "kernels": max(kernels, 1e-6), "wrong": wrong,
                "others": self.time_others("kernels", shape, element)}

    def model(self, model, element, library):
        call = weft.ModelCall(library, model)
        try:
            milliseconds = host_time(call.run, self.runs)
        finally:
            call.close()
            del call
        return {"call": milliseconds, "others": self.time_others("models", model, element)}

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
        connection.send({"fatal": str(missing)})
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
