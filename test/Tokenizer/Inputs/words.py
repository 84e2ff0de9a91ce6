"""words.py COUNT: a vocabulary of BERT's special tokens and the words w5, w6, ..."""
import sys

print("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + ["w%d" % i for i in range(5, int(sys.argv[1]))]))
