"""What weft-run should print about results, computed from the results alone.

answer.py classes FILE LABEL...              softmax over all of `logits`
answer.py labels FILE LABEL...               a sigmoid for each of `logits`
answer.py scores FILE FIRST WORD...          a sigmoid for each word, from `logits` FIRST on
answer.py masked FILE POSITION TOP WORD...   softmax of one row of `logits`
answer.py tokens FILE FIRST LABELS WORD...   the best label for each word, from row FIRST on
answer.py span FILE FIRST TOP WORD...        the best spans among the words, from row FIRST on
"""
import math
import sys

import tensorfile


def softmax(logits):
    powers = [math.exp(x - max(logits)) for x in logits]
    return [x / sum(powers) for x in powers]


def show(scored, top):
    for score, text in sorted(scored, key=lambda item: -item[0])[:top]:
        print("%.4f  %s" % (score, text))


def main():
    kind, path, *rest = sys.argv[1:]
    tensors = tensorfile.read(path)
    if kind == "span":
        first, top, words = int(rest[0]), int(rest[1]), rest[2:]
        rows = slice(first, first + len(words))
        start, end = (softmax(tensors[name][1][rows]) for name in ("start_logits", "end_logits"))
        spans = [(i, j) for i in range(len(words)) for j in range(i, len(words))]
        return show([(start[i] * end[j], " ".join(words[i : j + 1])) for i, j in spans], top)
    shape, logits = tensors["logits"]
    if kind == "classes":
        show(list(zip(softmax(logits), rest)), 5)
    elif kind == "labels":
        show([(1 / (1 + math.exp(-x)), label) for x, label in zip(logits, rest)], 5)
    elif kind == "scores":
        for x, word in zip(logits[int(rest[0]) :], rest[1:]):
            show([(1 / (1 + math.exp(-x)), word)], 1)
    elif kind == "masked":
        position, top, words = int(rest[0]), int(rest[1]), rest[2:]
        row = softmax(logits[position * shape[1] : (position + 1) * shape[1]])
        show(list(zip(row, words)), top)
    elif kind == "tokens":
        first, labels, words = int(rest[0]), rest[1].split(","), rest[2:]
        for i, word in enumerate(words, first):
            row = softmax(logits[i * shape[1] : (i + 1) * shape[1]])
            best = max(range(len(labels)), key=lambda label: row[label])
            print("%.4f  %s  %s" % (row[best], labels[best], word))


main()
