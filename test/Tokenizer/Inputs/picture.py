"""picture.py PNG TENSORS SIZE: a picture of SIZE x SIZE pixels, and `pixel_values` as they should be
after (byte / 255 - 0.5) / 0.5."""
import struct
import sys
import zlib

import tensorfile

png, tensors, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
pixels = [[[(x * 7 + y * 13 + c * 50) % 256 for c in range(3)] for x in range(size)] for y in range(size)]


def chunk(kind, data):
    crc = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)


rows = b"".join(b"\0" + bytes(byte for pixel in row for byte in pixel) for row in pixels)
open(png, "wb").write(
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(rows))
    + chunk(b"IEND", b"")
)
values = [(row[x][c] / 255 - 0.5) / 0.5 for c in range(3) for row in pixels for x in range(size)]
tensorfile.pack(tensors, {"pixel_values": ("F32", [3, size, size], values)})
