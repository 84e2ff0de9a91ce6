"""pieces.py TEXT SIZE MODEL KEYS PREFIX: byte pairs of SentencePiece, as its own file and as the keys of a GGUF file.

PREFIX is 1 if a space stands before a text. The file is a protocol buffer, written here by hand.
"""
import collections
import json
import struct
import sys

SPACE = "\u2581"
NORMAL, UNKNOWN, CONTROL = 1, 2, 3


def train(text, count):
    """Characters of a text, and what they are merged to within words; each with the score of its turn."""
    words = collections.Counter(SPACE + word for word in text.split())
    cut = {word: list(word) for word in words}
    characters = collections.Counter(c for word, n in words.items() for c in word * n)
    merged = []
    while len(merged) + len(characters) < count:
        pairs = collections.Counter()
        for word, parts in cut.items():
            for pair in zip(parts, parts[1:]):
                pairs[pair] += words[word]
        left, right = max(pairs, key=lambda pair: (pairs[pair], pair))
        merged.append(left + right)
        for word, parts in cut.items():
            joined = []
            for part in parts:
                if joined and joined[-1] == left and part == right:
                    joined[-1] += part
                else:
                    joined.append(part)
            cut[word] = joined
    return merged + [c for c, _ in characters.most_common()]


def varint(value):
    raw = b""
    while value > 127:
        raw += bytes([value & 127 | 128])
        value >>= 7
    return raw + bytes([value])


def message(number, raw):
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def number(field, value):
    return varint(field << 3) + varint(value)


def main(text, size, model, keys, prefix):
    with open(text) as file:
        pieces = train(file.read(), int(size) - 3)
    pieces = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)] + [
        (piece, float(-rank), NORMAL) for rank, piece in enumerate(pieces)
    ]
    raw = b""
    for piece, score, kind in pieces:
        raw += message(1, message(1, piece.encode()) + varint(2 << 3 | 5) + struct.pack("<f", score) + number(3, kind))
    raw += message(2, number(3, 2) + number(40, 0) + number(41, 1) + number(42, 2))  # BPE
    raw += message(3, message(1, b"identity") + number(3, int(prefix)) + number(4, 0))
    with open(model, "wb") as file:
        file.write(raw)
    with open(keys, "w") as file:
        json.dump(
            {
                "tokenizer.ggml.model": "llama",
                "tokenizer.ggml.tokens": [piece for piece, _, _ in pieces],
                "tokenizer.ggml.scores": [score for _, score, _ in pieces],
                "tokenizer.ggml.token_type": [kind for _, _, kind in pieces],
                "tokenizer.ggml.unknown_token_id": 0,
                "tokenizer.ggml.bos_token_id": 1,
                "tokenizer.ggml.eos_token_id": 2,
                "tokenizer.ggml.add_space_prefix": prefix == "1",
            },
            file,
        )


main(*sys.argv[1:])
