"""Writes files that are no safetensors files: bad_tensors.py FOLDER prints a line for each, its name and what is wrong."""
import json
import os
import struct
import sys


def tensor(dtype="F32", shape=(1,), offsets=(0, 4), **more):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **more}


def header(value, data=b"\0" * 4):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return struct.pack("<Q", len(text)) + text + data


CASES = {
    "short": (b"abc", "not a safetensors file: it has 3 bytes"),
    "huge": (struct.pack("<Q", 2**60), "its header would have 1152921504606846976 bytes, more than 100 MB"),
    "ends": (struct.pack("<Q", 100) + b"{}", "the file ends within its header: 100 bytes announced, 2 present"),
    "list": (header(b"[]"), "its header does not start with '{'"),
    "text": (header(b'{"a'), "the header is not an object of tensors"),
    "behind": (header(b"{} {}", b""), "the header has something behind its end"),
    "word": (header(b'{"a": true}'), "the header is not an object of tensors"),
    "escape": (header(b'{"\\ud800x": {}}'), "the header is not an object of tensors"),
    "object": (header({"a": []}), "tensor 'a': expected an object"),
    "fields": (header(b'{"a": {}}'), "tensor 'a': expected fields with names"),
    "lacks": (header({"a": {"dtype": "F32"}}), "tensor 'a': dtype, shape or data_offsets is missing"),
    "unknown": (header({"a": tensor(extra="1")}), "tensor 'a': unknown field"),
    "field": (header(b'{"a": {"shape": [1], "shape": [1]}}'), "tensor 'a': a field appears twice"),
    "type": (header({"a": tensor("F4")}), "tensor 'a': element type 'F4' is not supported"),
    "number": (header({"a": tensor(7)}), "tensor 'a': dtype is not a string"),
    "shape": (header({"a": {"shape": 1}}), "tensor 'a': shape is not an array"),
    "extent": (header({"a": tensor(shape=(2**63,))}), "the header is not an object of tensors"),
    "fraction": (header(b'{"a": {"shape": [1.5]}}'), "the header is not an object of tensors"),
    "negative": (header(b'{"a": {"shape": [-1]}}'), "the header is not an object of tensors"),
    "strings": (header(b'{"a": {"shape": ["1"]}}'), "a dimension of its shape is not a whole number below 2^63"),
    "large": (header({"a": tensor(shape=(2**40, 2**40))}), "tensor 'a': its shape is too large"),
    "offsets": (header({"a": tensor(offsets=(0,))}), "tensor 'a': data_offsets is not an array of two numbers"),
    "outside": (header({"a": tensor(offsets=(0, 8), shape=(2,))}), "data_offsets [0, 8] do not lie in the 4 bytes"),
    "backwards": (header({"a": tensor(offsets=(4, 0))}), "data_offsets [4, 0] do not lie in the 4 bytes"),
    "bytes": (header({"a": tensor(shape=(2,))}), "type and shape need 8 bytes, but its range has 4"),
    "overlap": (header({"a": tensor(), "b": tensor()}), "tensor 'b': its data overlaps that of another tensor"),
    "gap": (header({"a": tensor(offsets=(4, 8))}, b"\0" * 8), "tensor 'a': unused bytes lie before its data"),
    "rest": (header({"a": tensor()}, b"\0" * 8), "the tensors cover 4 of 8 bytes of data"),
    "twice": (header(b'{"a":' + json.dumps(tensor()).encode() + b',"\\u0061":' +
                     json.dumps(tensor(offsets=(4, 8))).encode() + b"}", b"\0" * 8),
              "tensor 'a': there are two of this name"),
    "metadata": (header({"__metadata__": {"a": 1}}, b""), "__metadata__ is not an object of strings"),
}

for name, (data, reason) in CASES.items():
    with open(os.path.join(sys.argv[1], name + ".bad"), "wb") as file:
        file.write(data)
    print("%s.bad\t%s" % (name, reason))
