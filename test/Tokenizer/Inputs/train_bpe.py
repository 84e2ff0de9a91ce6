"""train_bpe.py TEXT TOKENS OUTPUT PROMPT ID,ID,... [MORE,...]

Trains a byte-level BPE vocabulary of so many tokens on a text and writes it as a tokenizer.json. The
tokens of PROMPT get the given ids; the others get those that are left. Prints the prompt followed by
the text of the ids MORE: what a model that chooses these tokens should write.
"""
import collections
import json
import re
import sys

WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


def alphabet():
    """The characters that stand for the bytes."""
    prints = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in prints]
    return {**{b: chr(b) for b in prints}, **{b: chr(256 + i) for i, b in enumerate(others)}}


CHARACTERS = alphabet()


def symbols(word):
    return [CHARACTERS[byte] for byte in word.encode()]


def merge(word, pair):
    result = []
    for symbol in word:
        if result and (result[-1], symbol) == pair:
            result[-1] += symbol
        else:
            result.append(symbol)
    return result


def train(text, size):
    words = collections.Counter(WORDS.findall(text))
    cut = {word: symbols(word) for word in words}
    vocabulary = sorted({symbol for word in cut.values() for symbol in word})
    merges = []
    while len(vocabulary) < size:
        pairs = collections.Counter()
        for word, parts in cut.items():
            for pair in zip(parts, parts[1:]):
                pairs[pair] += words[word]
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        vocabulary.append("".join(best))
        cut = {word: merge(parts, best) for word, parts in cut.items()}
    return vocabulary, merges


def encode(text, merges):
    tokens = []
    for word in WORDS.findall(text):
        parts = symbols(word)
        for pair in merges:
            parts = merge(parts, pair)
        tokens += parts
    return tokens


def main():
    text, size, output, prompt, ids = sys.argv[1:6]
    more = [int(id) for id in sys.argv[6].split(",")] if len(sys.argv) > 6 else []
    vocabulary, merges = train(open(text).read(), int(size))
    fixed = dict(zip(encode(prompt, merges), (int(id) for id in ids.split(","))))
    assert len(fixed) == len(ids.split(",")), encode(prompt, merges)
    left = iter(sorted(set(range(len(vocabulary))) - set(fixed.values())))
    vocab = {token: fixed[token] if token in fixed else next(left) for token in vocabulary}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    json.dump(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": level,
            "post_processor": None,
            "decoder": level,
            "model": {"type": "BPE", "vocab": vocab, "merges": [" ".join(pair) for pair in merges]},
        },
        open(output, "w"),
    )
    bytes_of = {character: byte for byte, character in CHARACTERS.items()}
    token_of = {id: token for token, id in vocab.items()}
    print(prompt + bytes(bytes_of[c] for id in more for c in token_of[id]).decode(), end="\n")


if __name__ == "__main__":
    main()
