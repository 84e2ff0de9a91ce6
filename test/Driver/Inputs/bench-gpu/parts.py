"""Parts of the benchmark alone: what --check says of a result that is right, and of the same with one wrong element; that times are
medians; bytes of a type. usage: parts.py ROOT"""
import sys

sys.path.insert(0, sys.argv[1] + "/utils/gpu")
import check  # noqa: E402
import normal  # noqa: E402
import shapes  # noqa: E402
import weft  # noqa: E402


class Call:
    """As weft.Call; the wrong element is among the last row's."""

    def __init__(self, shape, wrong):
        self.shape, self.wrong = shape, wrong
        self.tensors = {"y": (None, shape.sizes["M"] * shape.sizes["N"], "f32")}

    def row(self, name, begin, count):
        return normal.row(name, "f32", begin, count)

    def read(self, _name, position):
        i, j = divmod(position, self.shape.sizes["N"])
        return check.product_row(self.shape, self.row, i, [j])[0] + (0.5 if position == self.wrong else 0)


class Timed(weft.Call):
    """Whose kernels take longer once."""

    def __init__(self):
        self.times = [2.0, 1.0, 90.0]

    def run(self):
        pass

    def kernel_time(self):
        return self.times.pop()


work = shapes.product(3, 13, 7)
print("right:", check.find_wrong(work, "f32", Call(work, -1)) or "nothing")
print("wrong:", check.find_wrong(work, "f32", Call(work, 20)))
print("kernels:", Timed().time(3)[1])
print("bytes:", work.bytes("bf16"), work.bytes("f32"))
