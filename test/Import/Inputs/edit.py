"""Makes a changed copy of a safetensors file, with nothing but Python's library.

  edit.py IN OUT [CHANGE ...]

  drop NAME           leave the tensor out
  rename NAME OTHER   give it another name
  copy NAME OTHER     have it under another name, too
  zero NAME           make all of its bytes 0
  add NAME            add two F32 zeros
  shape NAME 2x3      say another shape of as many elements
  type NAME I32       say another type of as many bytes
  shards              OUT is a folder: write two shards and their index
"""
import json
import os
import sys

from tensorfile import pack, unpack


def write_shards(folder, tensors):
    names = list(tensors)
    halves = {"a.safetensors": names[::2], "b.safetensors": names[1::2]}
    for file, part in halves.items():
        pack(os.path.join(folder, file), {name: tensors[name] for name in part})
    index = {"weight_map": {name: file for file, part in halves.items() for name in part}}
    with open(os.path.join(folder, "model.safetensors.index.json"), "w") as file:
        json.dump(index, file)


def main(source, target, changes):
    tensors = unpack(source)
    while changes:
        change = changes.pop(0)
        if change == "shards":
            return write_shards(target, tensors)
        name = changes.pop(0)
        if change == "drop":
            del tensors[name]
        elif change == "rename":
            tensors[changes.pop(0)] = tensors.pop(name)
        elif change == "copy":
            tensors[changes.pop(0)] = tensors[name]
        elif change == "zero":
            tensors[name] = (*tensors[name][:2], bytes(len(tensors[name][2])))
        elif change == "add":
            tensors[name] = ("F32", [2], bytes(8))
        elif change == "shape":
            extents = [int(extent) for extent in changes.pop(0).split("x")]
            tensors[name] = (tensors[name][0], extents, tensors[name][2])
        elif change == "type":
            tensors[name] = (changes.pop(0), *tensors[name][1:])
    pack(target, tensors)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
