"""Numbers from N(0, 1), a pool of them again and again: the bytes, and what stands where. Zeros would run faster."""
import array
import functools
import random
import struct

POOL = 65521  # prime, so that no row begins as another does


def to_bytes(numbers, element):
    if element == "f32":
        return array.array("f", numbers).tobytes()
    return b"".join(struct.pack("<f", number)[2:] for number in numbers)


def to_numbers(data, element):
    if element == "bf16":
        data = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
    return array.array("f", data)


@functools.lru_cache(maxsize=64)
def pool(seed, element):
    """The bytes of the pool, and its numbers twice, so that a row of up to POOL of them is a slice."""
    draw = random.Random(seed)
    data = to_bytes([draw.gauss(0, 1) for _ in range(POOL)], element)
    return data, to_numbers(data, element) * 2


def row(seed, element, begin, count):
    """Numbers `begin` to `begin + count` of a tensor filled with the pool."""
    begin %= POOL
    return pool(seed, element)[1][begin:begin + count]
