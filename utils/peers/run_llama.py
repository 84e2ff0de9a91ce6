#!/usr/bin/env python3
"""llama.cpp as a worker (worker.py), through the C interface of the libraries in the npm package of its binding.
usage: run_llama.py PREFIX"""
import ctypes
import json
import os
import sys

import gguf
import worker

PACKAGE = "npm/node_modules/@node-llama-cpp/linux-x64"
MODELS = {"bert", "gpt2", "tinyllama"}


class Parameters(ctypes.Structure):
    """Larger than the structures of parameters that are passed by value."""
    _fields_ = [("words", ctypes.c_uint32 * 96)]


class Batch(ctypes.Structure):
    _fields_ = [("tokens", ctypes.c_int32), ("pointers", ctypes.c_void_p * 6)]


class Llama:
    def __init__(self, prefix):
        bins = os.path.join(prefix, PACKAGE, "bins/linux-x64/")
        names = sorted(os.listdir(bins))

        def load(start):
            return ctypes.CDLL(bins + next(n for n in names if n.startswith(start)), ctypes.RTLD_GLOBAL)
        load("libggml-base.so")
        ggml = load("libggml.")
        self.api = api = load("libllama.")
        with open(bins + "_nlcBuildMetadata.json", encoding="utf-8") as file:
            self.version = json.load(file)["buildOptions"]["llamaCpp"]["release"]
        pointer = ctypes.c_void_p
        for name, result, arguments in (
                ("model_default_params", Parameters, []), ("context_default_params", Parameters, []),
                ("model_load_from_file", pointer, [ctypes.c_char_p, Parameters]),
                ("init_from_model", pointer, [pointer, Parameters]),
                ("batch_get_one", Batch, [pointer, ctypes.c_int32]), ("decode", ctypes.c_int32, [pointer, Batch]),
                ("encode", ctypes.c_int32, [pointer, Batch]), ("synchronize", None, [pointer]),
                ("get_memory", pointer, [pointer]), ("memory_clear", None, [pointer, ctypes.c_bool]),
                ("memory_seq_rm", ctypes.c_bool, [pointer, ctypes.c_int32, ctypes.c_int32, ctypes.c_int32]),
                ("free", None, [pointer]), ("model_free", None, [pointer]),
                ("set_embeddings", None, [pointer, ctypes.c_bool])):
            function = getattr(api, "llama_" + name)
            function.restype, function.argtypes = result, arguments
        ggml.ggml_backend_load_all_from_path.argtypes = [ctypes.c_char_p]
        ggml.ggml_backend_load_all_from_path(bins.encode())
        api.llama_backend_init()


class Model:
    """A model in a context; its calls do a prompt, a token behind one, or an encoder's text."""

    def __init__(self, api, path, threads, positions):
        self.api = api
        self.model = api.llama_model_load_from_file(path.encode(), api.llama_model_default_params())
        if not self.model:
            raise worker.Missing("llama.cpp does not read " + os.path.basename(path))
        parameters = api.llama_context_default_params()
        words = parameters.words  # n_ctx, n_batch, n_ubatch, n_seq_max, ..., n_threads, n_threads_batch
        place = next((i for i in range(4, 10) if words[i] == words[i + 1] == 4), 0)
        if list(words[:4]) != [512, 2048, 512, 1] or not place:
            raise worker.Missing("the parameters of this llama.cpp lie elsewhere")
        words[0], words[1], words[2] = positions, 512, 512
        words[place] = words[place + 1] = threads
        self.context = api.llama_init_from_model(self.model, parameters)
        self.tokens = (ctypes.c_int32 * 512)(*[(i * 37 + 5) % 30000 for i in range(512)])

    def __del__(self):
        if getattr(self, "context", None):
            self.api.llama_free(self.context)
        if self.model:
            self.api.llama_model_free(self.model)

    def feed(self, function, count):
        if function(self.context, self.api.llama_batch_get_one(ctypes.addressof(self.tokens), count)):
            raise worker.Missing("llama.cpp returned an error")
        self.api.llama_synchronize(self.context)

    def prompt(self, count):
        self.api.llama_memory_clear(self.api.llama_get_memory(self.context), False)
        self.feed(self.api.llama_decode, count)

    def token(self, past):
        """The token at position `past`; what the last call put there is taken back."""
        self.api.llama_memory_seq_rm(self.api.llama_get_memory(self.context), 0, past, -1)
        self.feed(self.api.llama_decode, 1)


def main():
    prefix = sys.argv[1]
    llama = Llama(prefix)

    def prepare(work, element, threads):
        if work.model not in MODELS:
            raise worker.Missing("runs language models")
        os.makedirs(os.path.join(prefix, "models"), exist_ok=True)
        path = os.path.join(prefix, "models", f"{work.model}-{element}.gguf")
        gguf.write(path, work.model, element)
        model = Model(llama.api, path, threads, 512 if work.kind == "bert" else 1024)
        count = work.sizes["S"]
        if work.kind == "bert":
            llama.api.llama_set_embeddings(model.context, True)
            return lambda: model.feed(llama.api.llama_encode, count)
        if work.kind == "prefill":
            return lambda: model.prompt(count)
        model.prompt(count)
        return lambda: model.token(count)
    worker.serve(prepare, llama.version)


if __name__ == "__main__":
    main()
