"""The CUDA driver, by ctypes: memory, events, the rate of a large copy."""
import ctypes
import os
import statistics

# More than any second cache holds, and long enough to launch behind: some 200 us.
SWEPT = 512 << 20


class Missing(Exception):
    """What is not on this machine, or not in this type."""


class Device:
    def __init__(self, swept=SWEPT):
        name = os.environ.get("WEFT_CUDA_DRIVER") or "libcuda.so.1"
        try:
            self.driver = ctypes.CDLL(name)
        except OSError as error:
            raise Missing(f"no CUDA driver: {error}") from error
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        label = ctypes.create_string_buffer(128)
        self.call("cuDeviceGetName", label, 128, device)
        self.name = label.value.decode()
        capability = [ctypes.c_int(), ctypes.c_int()]
        for number, part in zip((75, 76), capability):
            self.call("cuDeviceGetAttribute", ctypes.byref(part), number, device)
        self.architecture = "sm_90a" if (capability[0].value, capability[1].value) == (9, 0) else "sm_80"
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.swept, self.rest = swept, self.allocate(swept)

    def call(self, function, *arguments):
        code = getattr(self.driver, function)(*arguments)
        if code:
            raise Missing(f"{function} failed with {code}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def free(self, address):
        self.call("cuMemFree_v2", address)

    def fill(self, address, size, data):
        """`data` again and again: only the first is sent, what is there is copied on the device, doubling."""
        done = min(len(data), size)
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(done))
        while done < size:
            more = min(done, size - done)
            self.call("cuMemcpyDtoD_v2", ctypes.c_uint64(address.value + done), address, ctypes.c_size_t(more))
            done += more

    def copy_out(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(size))
        return data.raw

    def sweep(self):
        """Asks the default stream for a write that empties the caches; what is launched meanwhile begins right behind it, so
        that no event counts the launch. Every stream of Weft and PyTorch waits for it."""
        self.call("cuMemsetD32Async", self.rest, 0, ctypes.c_size_t(self.swept // 4), None)

    def time(self, work, runs=10):
        """The median milliseconds of what `work` asks of the default stream, by events."""
        begin, end, times = ctypes.c_void_p(), ctypes.c_void_p(), []
        for event in (begin, end):
            self.call("cuEventCreate", ctypes.byref(event), 0)
        work()
        for _ in range(runs):
            self.sweep()
            self.call("cuEventRecord", begin, None)
            work()
            self.call("cuEventRecord", end, None)
            self.call("cuEventSynchronize", end)
            elapsed = ctypes.c_float()
            self.call("cuEventElapsedTime", ctypes.byref(elapsed), begin, end)
            times.append(elapsed.value)
        for event in (begin, end):
            self.call("cuEventDestroy_v2", event)
        return statistics.median(times)

    def copy_rate(self, size):
        """GB/s, read and written, of a copy from one place of the memory to another."""
        source, target = self.allocate(size), self.allocate(size)
        self.call("cuMemsetD8_v2", source, ctypes.c_ubyte(1), ctypes.c_size_t(size))

        def work():
            self.call("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(size), None)
        milliseconds = self.time(work)
        self.free(source)
        self.free(target)
        return 2e-6 * size / max(milliseconds, 1e-9)
