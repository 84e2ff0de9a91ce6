#!/bin/sh
# The demo: builds Weft, compiles the shipped character-level model and lets it write, streamed.
# usage: sh utils/demo.sh [PROMPT]
set -eu
cd "$(dirname "$0")/.."
prompt=${1:-"In the beginning "}
sh utils/build.sh release
mkdir -p build/demo
echo "== compiling docs/examples/bible"
build/release/bin/weftc docs/examples/bible -o build/demo/bible.so -v
echo "== generating"
build/release/bin/weft-run build/demo/bible.so --prompt "$prompt" --generate 400 --temperature 0.5 --seed 1
