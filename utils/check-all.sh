#!/bin/sh
# What check.sh is too quick for: run it before a release, and after changes that touch many files.
#   check-all.sh [STEP...]     all steps in order, or those that are named:
#   tidy       clang-tidy 22 has nothing to say, and every source compiles without the precompiled header
#   long       the suite with its long tests
#   asan       the golden suite under the address and undefined-behaviour sanitizers
#   fuzz       every fuzzer for FUZZ_SECONDS (60)
#   random     RANDOM_PROGRAMS (10000) random programs against an independent evaluation, others for GPUs, in all types
#              and whether they have the same bits however they are computed
#   formats    every format of quantised checkpoints with every type of model that utils/check_formats.py lists
#   bits       results have the same bits in every type, however they are computed (utils/check-bits.sh)
#   emulation  models compiled for AArch64 and the levels of x86-64, run by QEMU
#   gpu        every golden model as PTX for every kind of GPU, assembled by ptxas where that is installed
#   mutants    kernels for GPUs that are made wrong, a place at a time, are refused by the emulator
#   packages   the Debian packages, installed in a new Debian 12 and used there (as root)
# JOBS (default: the number of cores) run side by side. The first step that fails ends the check.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
lit=/usr/lib/llvm-22/bin/lit

# configure PRESET FOLDER FLAGS...
configure() {
  preset=$1 folder=$2
  shift 2
  cmake --preset "$preset" -B "$folder" "$@" >/dev/null
}

# Calls a command with every C++ file that the folder's build compiles, once: for_sources FOLDER COMMAND...
for_sources() {
  folder=$1
  shift
  python3 - "$folder" <<'END' | xargs -P "$jobs" -I {} "$@" {}
import json, os, sys
entries = json.load(open(os.path.join(sys.argv[1], "compile_commands.json")))
for path in dict.fromkeys(os.path.relpath(entry["file"]) for entry in entries):
    if path.endswith(".cpp") and not path.startswith("build"):
        print(path)
END
}

step_tidy() {
  configure release build/plain -D WEFT_PRECOMPILED_HEADER=OFF
  ninja -C build/plain weft-generated-sources >/dev/null
  # Clang's tooling reads the flags of every file from compile_commands.json.
  for_sources build/plain clang-tidy-22 --quiet --warnings-as-errors='*' -p build/plain
}

step_long() {
  sh utils/build.sh release
  "$lit" -sv -j "$jobs" -Drun_long_tests=1 build/release/test
}

step_asan() {
  configure asan build/asan
  ninja -C build/asan -j "$jobs" weftc weft-run weft_runtime weft-gpu-emu >/dev/null
  "$lit" -sv -j "$jobs" build/asan/test --filter Golden/
}

step_fuzz() {
  configure asan build/asan
  for fuzzer in parser config safetensors program gguf tokenizer ptx; do
    ninja -C build/asan -j "$jobs" "weft-$fuzzer-fuzzer" >/dev/null
    corpus=build/asan/corpus/$fuzzer
    mkdir -p "$corpus"
    # What it finds goes beside the corpus, and is named in the last lines.
    build/asan/bin/weft-$fuzzer-fuzzer -max_total_time="${FUZZ_SECONDS:-60}" -verbosity=0 -close_fd_mask=1 \
      -artifact_prefix="build/asan/corpus/$fuzzer-" $(dictionary "$fuzzer") "$corpus" "$(seeds "$fuzzer")"
  done
}

dictionary() { [ "$1" != parser ] || echo -dict=test/Fuzz/weft.dict; }

seeds() {
  case $1 in
    parser) echo test/Fuzz/Corpus/Parser ;;
    config) echo test/Fuzz/Corpus/Config ;;
    safetensors | program) echo test/Fuzz/Corpus/SafeTensors ;;
    gguf) echo test/Fuzz/Corpus/Gguf ;;
    tokenizer) echo test/Fuzz/Corpus/Tokenizer ;;
    ptx) echo test/Fuzz/Corpus/Ptx ;;
  esac
}

step_random() {
  sh utils/build.sh release
  programs=${RANDOM_PROGRAMS:-10000}
  python3 test/Random/run.py --jobs "$jobs" --programs "$programs"
  for way in --device --wide "--wide --device" --bits; do
    # shellcheck disable=SC2086 # two flags
    python3 test/Random/run.py --jobs "$jobs" --programs $((programs / 10)) $way
  done
}

step_formats() {
  sh utils/build.sh release
  PATH=$PWD/build/release/bin:$PATH python3 utils/check_formats.py
}

step_bits() {
  sh utils/build.sh release
  sh utils/check-bits.sh --jobs "$jobs"
}

# One model of every kind: encoders, decoders, both, pictures, sound, mixtures, windows, states.
emulated="bert-model gpt2-lm llama-gqa t5 vit-model mixtral bart gemma2 mistral-swa longformer whisper-audio xlnet-lm
deberta-v2"

step_emulation() {
  sh utils/build.sh release
  for target in aarch64 neoverse-n1 neoverse-v2 x86-64 x86-64-v2 x86-64-v3; do
    # shellcheck disable=SC2086 # a list of names
    PATH=$PWD/build/release/bin:$PATH python3 test/Emulation/emulate.py "$target" $emulated
  done
}

step_gpu() {
  sh utils/build.sh release
  sh utils/check-gpu.sh --jobs "$jobs"
  "$lit" -sv -j "$jobs" -Dnvptx=all --filter 'nvptx$' build/release/test/Golden
}

step_mutants() {
  sh utils/build.sh release
  python3 utils/mutate_gpu.py --jobs "$jobs"
}

step_packages() {
  configure release build/package -D CMAKE_INSTALL_PREFIX=/usr -D WEFT_INCLUDE_TESTS=OFF
  ninja -C build/package -j "$jobs" >/dev/null
  sh utils/check-packages.sh build/package
}

all="tidy long asan fuzz random formats bits emulation gpu mutants packages"
for step in "${@:-$all}"; do
  for name in $step; do
    case " $all " in *" $name "*) ;; *)
      echo "check-all: no step '$name'; the steps are: $all" >&2
      exit 2 ;;
    esac
  done
done
sh utils/install-deps.sh check-all
for step in ${*:-$all}; do
  echo "check-all: $step ..."
  start=$(date +%s)
  # A function called in a condition would go on after its errors: each step is a shell of its own.
  status=0
  (set -e; "step_$step") & wait $! || status=$?
  seconds=$(($(date +%s) - start))
  if [ "$status" != 0 ]; then
    echo "check-all: $step FAILED after $seconds s" >&2
    exit 1
  fi
  echo "check-all: $step passed in $seconds s"
done
