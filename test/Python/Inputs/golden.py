"""Compiled models against the results of the reference implementations: golden.py GOLDEN FOLDER."""
import os
import subprocess
import sys
import unittest

import numpy as np
import tensorfile
import weft

GOLDEN, FOLDER = sys.argv.pop(1), sys.argv.pop(1)


def arrays(case, name):
    result = {}
    for tensor, (dtype, shape, raw) in tensorfile.unpack(os.path.join(GOLDEN, case, name + ".safetensors")).items():
        result[tensor] = np.array(tensorfile.numbers(dtype, raw), "?" if dtype == "BOOL" else None).reshape(shape)
    return result


def compile_case(case, *flags):
    path = os.path.join(FOLDER, case + "-".join(flags) + ".so")
    subprocess.run(["weftc", os.path.join(GOLDEN, case), "-O0", "-o", path, *flags], check=True, stderr=subprocess.DEVNULL)
    return weft.load(path)


class Golden(unittest.TestCase):
    def assertClose(self, got, expected, name):
        self.assertEqual(list(got.shape), list(expected.shape), name)
        if expected.dtype.kind != "f":
            np.testing.assert_array_equal(got, expected, name)
        else:
            allowed = 2e-5 * np.max(np.abs(expected), initial=0) + 1e-5
            self.assertLessEqual(np.max(np.abs(got - expected), initial=0), allowed, name)

    def check(self, model, case, run=""):
        results = model(**arrays(case, "inputs" + run))
        expected = arrays(case, "expected" + run)
        if not isinstance(results, dict):
            results = {next(iter(expected)): results}
        for name, array in results.items():
            self.assertClose(array, expected[name], name)
        return results

    def test_encoder(self):
        model = compile_case("bert-model")
        self.assertGreater(len(self.check(model, "bert-model")), 1)
        self.check(model, "bert-model", "_len1")
        model.set_threads(3)
        self.check(model, "bert-model")

    def test_generation(self):
        model = compile_case("gpt2-lm")
        inputs = arrays("gpt2-lm", "inputs_gen")["input_ids"]
        expected = arrays("gpt2-lm", "expected_gen")["generated_ids"]
        count = expected.shape[-1] - inputs.shape[-1]
        for cache in True, False:
            got = model.generate(inputs, count, cache=cache)
            np.testing.assert_array_equal(got, expected)
        # The logits of a call, of steps of several positions, and of one.
        ids = expected.reshape(-1, expected.shape[-1])[0]
        whole = model(input_ids=ids)
        whole = whole["logits"] if isinstance(whole, dict) else whole
        state, first = model.state(), None
        for begin, end in (0, 3), (3, 4), (4, len(ids)):
            fork = state.copy()
            rows = state.step(input_ids=ids[begin:end])
            self.assertClose(rows, whole[begin:end], "rows")
            self.assertClose(fork.step(input_ids=ids[begin:end], last=True), whole[end - 1], "last row")
            self.assertEqual((len(state), len(fork)), (end, end))
            first = fork if begin == 0 else first
        self.assertEqual(len(first), 3)
        state.truncate(3)
        self.assertClose(state.step(input_ids=ids[3:]), whole[3:], "rows")
        with self.assertRaisesRegex(weft.Error, "cannot be cut to 900"):
            state.truncate(900)

    def test_sampling(self):
        model = weft.load(os.path.join(FOLDER, "sampled"))
        inputs = os.path.join(GOLDEN, "gpt2-lm", "inputs_gen.safetensors")
        for options in ({"seed": 7}, {"temperature": 0.7, "top_k": 5, "seed": 1}, {"top_p": 0.8, "seed": 2},
                        {"temperature": 1.5, "top_k": 40, "top_p": 0.9, "repetition_penalty": 1.3}):
            flags = ["--%s=%s" % (name.replace("_", "-"), value) for name, value in options.items()]
            out = os.path.join(FOLDER, "sampled.safetensors")
            subprocess.run(["weft-run", model.path, "--generate", "24", "--inputs", inputs, "--outputs", out, *flags],
                           check=True, stderr=subprocess.DEVNULL)
            _, expected = tensorfile.read(out)["generated_ids"]
            got = model.generate(arrays("gpt2-lm", "inputs_gen")["input_ids"], 24, **options)
            self.assertEqual(got.ravel().tolist(), list(expected), options)

    def test_encoder_and_decoder(self):
        model = compile_case("t5")
        self.check(model, "t5")
        inputs, expected = arrays("t5", "inputs_gen"), arrays("t5", "expected_gen")["generated_ids"]
        ids = inputs.pop("decoder_input_ids")
        got = model.generate(ids, expected.shape[-1] - ids.shape[-1], inputs=inputs)
        np.testing.assert_array_equal(got, expected)

    def test_state_of_its_own(self):
        model = compile_case("transfo-xl-lm")
        self.check(model, "transfo-xl-lm", "_mems")
        inputs = arrays("transfo-xl-lm", "inputs_gen")
        expected = arrays("transfo-xl-lm", "expected_gen")["generated_ids"]
        ids = inputs.pop("input_ids")
        got = model.generate(ids, expected.shape[-1] - ids.shape[-1], inputs=inputs)
        np.testing.assert_array_equal(got, expected)
        with self.assertRaisesRegex(weft.Error, "has no step: it computes all positions at once only"):
            model.state()


if __name__ == "__main__":
    unittest.main()
