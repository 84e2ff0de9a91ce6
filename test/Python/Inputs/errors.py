"""Calls of the hand-written model, good and bad: errors.py FAKE.so TYPES.so"""
import os
import shutil
import sys
import tempfile
import threading
import unittest

import numpy as np
import weft

FAKE, TYPES = sys.argv.pop(1), sys.argv.pop(1)


class Calls(unittest.TestCase):
    def setUp(self):
        self.model = weft.load(FAKE)

    def test_call(self):
        ids = np.array([1, 2, 3], np.int32)
        results = self.model(input_ids=ids)
        self.assertEqual(sorted(results), ["logits", "pooled"])
        self.assertEqual(results["logits"].shape, (3, 256))
        self.assertEqual(results["logits"][1, 3], 10)
        self.assertEqual(results["pooled"].tolist(), [0, 6, 12])
        self.assertIn("entry logits(input_ids: int32[T], attention_mask: bool[T]) -> logits: float32[T, 256]",
                      repr(self.model))

    def test_kinds_of_arrays(self):
        for ids in ([1, 2, 3], np.array([1, 2, 3]), np.array([1, 9, 2, 9, 3], np.int32)[::2], np.uint8([1, 2, 3])):
            for mask in (None, [1, 0, 1], np.array([True, False, True]), np.uint8([1, 0, 1])):
                pooled = self.model(input_ids=ids, attention_mask=mask)["pooled"]
                self.assertEqual(pooled[1], 6 if mask is None else 4)
        # Neither aligned nor contiguous: one copy.
        x = np.frombuffer(b"." + np.float32([[1, 2], [3, 4]]).tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 2)
        self.assertEqual(self.model(x=x).tolist(), [1.5, 3.5])
        self.assertEqual(self.model({"x": x.astype(np.float64)}).tolist(), [1.5, 3.5])

    def test_batch(self):
        results = self.model.entry("logits")(input_ids=[[1, 2], [3, 4], [5, 6]], attention_mask=[1, 0])
        self.assertEqual(results["logits"].shape, (3, 2, 256))
        self.assertEqual(results["pooled"][:, 1].tolist(), [1, 3, 5])

    def test_threads(self):
        good = []

        def call(n):
            for _ in range(50):
                good.append(self.model(input_ids=[n] * n)["pooled"][1] == n * n)

        threads = [threading.Thread(target=call, args=(n,)) for n in range(1, 5)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual((len(good), all(good)), (200, True))
        self.model.set_threads(2)
        self.assertEqual(self.model.threads, 2)


class Errors(unittest.TestCase):
    def setUp(self):
        self.model = weft.load(FAKE)

    def fails(self, text, code=3, **inputs):
        with self.assertRaises(weft.Error) as caught:
            self.model.entry("logits")(**inputs)
        self.assertIn(text, str(caught.exception))
        self.assertEqual(caught.exception.code, code)

    def test_inputs(self):
        ids = [1, 2, 3]
        self.fails("input 'input_ids' is missing; entry 'logits' needs it", attention_mask=ids)
        self.fails("entry 'logits' has no input 'ids'; it has: input_ids, attention_mask", ids=ids)
        self.fails("input 'input_ids' has shape [], the model declares [T] (a batch may come before it)", input_ids=1)
        self.fails("input 'input_ids' is given as float32, the model has int32", input_ids=np.float32(ids))
        self.fails("input 'input_ids' is given as str", input_ids="abc")
        self.fails("input 'input_ids': element [1] is 256, out of range: ids go from 0 to 255", input_ids=[0, 256])
        self.fails("input 'input_ids': element [0] is -1, out of range", input_ids=[-1, 256])
        self.fails("input 'attention_mask': element [2] is 2, which is neither 0 nor 1", input_ids=ids,
                   attention_mask=[0, 1, 2])
        self.fails("input 'attention_mask' has T = 2, but input 'input_ids' has T = 3", input_ids=ids,
                   attention_mask=[0, 1])
        self.fails("input 'input_ids' has T = 9, the model takes 1 to 8", code=1, input_ids=[1] * 9)
        self.fails("input 'input_ids' has T = 0", code=1, input_ids=np.zeros(0, np.int32))
        self.fails("input 'input_ids' has an empty batch", input_ids=np.zeros((0, 3), np.int32))
        self.fails("input 'attention_mask' has a batch of [3], but input 'input_ids' has [2]",
                   input_ids=[[1], [2]], attention_mask=[[1], [0], [1]])

    def test_entries(self):
        for given, text in (({"y": 1}, "the inputs fit no entry of the model"), ({}, "the inputs fit no entry")):
            with self.assertRaisesRegex(weft.Error, text):
                self.model(given)
        with self.assertRaisesRegex(weft.Error, "no entry 'none' in the model; it has: logits, scale"):
            self.model.entry("none")
        with self.assertRaisesRegex(weft.Error, "model 'fake' has no step"):
            self.model.state()

    def test_loading(self):
        for path, text, code in ((FAKE + "x", "no such file", 4), (__file__, "cannot load", 4),
                                 ("/usr", "no library", 4)):
            with self.assertRaisesRegex(weft.Error, text) as caught:
                weft.load(path)
            self.assertEqual(caught.exception.code, code)
        with self.assertRaisesRegex(weft.Error, "none.weights: cannot open"):
            weft.load(FAKE, weights="none.weights")
        self.model.close()
        with self.assertRaisesRegex(weft.Error, "the model was closed"):
            self.model(input_ids=[1])

    def test_sampling(self):
        for bad in ({"temperature": -1}, {"top_p": 0}, {"top_k": -1}, {"repetition_penalty": 0}, {"temperature": float("inf")},
                    {"temperature": float("nan")}, {"top_k": 1.5}, {"seed": "a"}, {"seed": -1}, {"seed": 2**64}, {"top_p": "1"}):
            with self.assertRaisesRegex(weft.Error, "%s is a .*, not " % next(iter(bad))):
                self.model.generate([1], 1, **bad)
        for count in -1, 1.5, "a", None:
            with self.assertRaisesRegex(weft.Error, "the number of tokens to generate is a whole number of at least 0"):
                self.model.generate([1], count)
        with self.assertRaisesRegex(weft.Error, "inputs are given by name"):
            self.model([1])
        with self.assertRaisesRegex(weft.Error, "ids are whole numbers"):
            self.model.generate([], 1)
        # Every byte is followed by the next one; the text ends after one of `stop`.
        self.assertEqual(self.model.generate([65], 3).tolist(), [65, 66, 67, 68])
        self.assertEqual(self.model.generate([65], 9, stop={67}).tolist(), [65, 66, 67])
        self.assertEqual(self.model.generate([[65], [97]], 10).tolist(), [list(range(65, 76)), list(range(97, 108))])


class Types(unittest.TestCase):
    """y = 2 x in all types of reals: f16 is float16, bf16 has no type of its own."""

    def test_types(self):
        model = weft.load(TYPES)
        x = np.float32([1, -2.5, 0.1])
        results = model(h=x.astype(np.float16), b=x, f=x)
        self.assertEqual([results[name].dtype.name for name in ("h2", "b2", "f2")], ["float16", "float32", "float32"])
        rounded = np.float32([1, -2.5, 0.10009765625])  # 0.1 in bf16
        np.testing.assert_array_equal(results["b2"], 2 * rounded)
        np.testing.assert_array_equal(results["h2"], 2 * x.astype(np.float16))
        # The bits of bf16, and reals that are rounded.
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)
        np.testing.assert_array_equal(model(h=x, b=bits, f=x)["b2"][:2], 2 * x[:2])
        with self.assertRaisesRegex(weft.Error, r"input 'h': element \[1\] is 70000.0, too large for float16"):
            model(h=[1.0, 70000.0, 0.0], b=x, f=x)

    def test_another_library_of_the_name(self):
        # The system would give the one that it has under the name.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.so")
            for library, name in ((FAKE, "model fake"), (TYPES, "model types"), (FAKE, "model fake")):
                if os.path.exists(path):
                    os.remove(path)
                shutil.copy(library, path)
                for _ in range(2):
                    self.assertIn(name, repr(weft.load(path, weights=os.path.splitext(FAKE)[0] + ".weights"
                                                       if library == FAKE else None)))

    def test_rounding_to_bf16(self):
        from weft._tensors import from_bf16, to_bf16
        given = np.float32([1, 1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-8 - 2**-20, np.inf, -np.inf, np.nan, 3.4e38])
        expected = np.float32([1, 1, 1 + 2**-6, -1 - 2**-7, np.inf, -np.inf, np.nan, np.inf])
        np.testing.assert_array_equal(from_bf16(to_bf16(given)), expected)


if __name__ == "__main__":
    unittest.main()
