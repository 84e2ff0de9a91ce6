#!/bin/sh
# use.sh EXAMPLES HUB APP WORK GENERATOR LANGUAGE [once]
# Goes a user's ways with the Weft that PATH (PKG_CONFIG_PATH, PYTHONPATH) lead to, in the new folder WORK: weftc and weft-run
# with a text and with HUB, a Hugging Face folder with inputs and results; the CMake project APP; pkg-config, from C and
# C++; Python, where $PYTHON is one that has NumPy. Other Wefts, and the sources, are not to be needed. With `once` nothing is
# built again after a change.
set -eu
examples=$1 hub=$2 app=$3 work=$4 generator=$5 language=$6 once=${7:-}
text='In the beginning'
scores='-0.0433 -0.0378 -0.0132'

fail() {
  echo "use.sh: $1" >&2
  exit 1
}
# expect WHAT-IS WHAT-SHOULD-BE
expect() { [ "$1" = "$2" ] || fail "expected '$2', not '$1'"; }

# weights A B: the checkpoint of the folder `pair`, a safetensors file with two numbers as octal bytes.
weights() {
  header='{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
  # shellcheck disable=SC2059 # the format is what is written
  printf "\\$(printf %o ${#header})\\0\\0\\0\\0\\0\\0\\0$(echo "$header" | sed 's/\\/&&/g')\\0\\0$1\\0\\0$2" \
    >pair/model.safetensors
}
one='\200\077' two='\000\100' # the upper halves of 1.0f and 2.0f

rm -rf "$work"
mkdir -p "$work"
cp -r "$app" "$work/app"
cp "$examples/c/tiny.weft" "$examples/c/main.c" "$work/app"
cd "$work/app"
mkdir pair
printf 'import "parts.weft" as parts\nmodel Pair(config) {\n  let N = config.n\n  input x: real[N]\n  param w: [N]\n' \
  >pair/model.weft
printf '  output y[i] = parts.scale(w[i]) * x[i]\n}\n' >>pair/model.weft
echo 'fn scale(a) = 2.0 * a' >pair/parts.weft
echo '{"n": 2}' >sizes.json
weights "$one" "$two"

# The tools.
weftc tiny.weft --random-weights -o tiny.so
weft-run tiny.so | grep -q 'entry scores' || fail "weft-run does not know the model"
weftc tiny.weft --random-weights -o program 2>/dev/null
./program --bench=1 --length 4 | grep -q scores || fail "the program does not run"

# A folder from Hugging Face: what it is, a folder with all that belongs to it, a program that needs no other file.
weftc --info "$hub" | grep -q gpt2 || fail "weftc does not know what the folder holds"
weftc "$hub" -o hub/
weft-run hub --inputs "$hub/inputs.safetensors" --expect "$hub/expected.safetensors" >log || { cat log >&2; fail "other results"; }
weftc "$hub" --embed-weights -o inside 2>/dev/null
./inside --inputs "$hub/inputs.safetensors" >own
weft-run hub --inputs "$hub/inputs.safetensors" >theirs
cmp own theirs
if [ -n "${PYTHON:-}" ]; then
  weftc "$examples/bible" -o bible/
  "$PYTHON" "$examples/python/main.py" bible | grep -q 'True$' || fail "Python does not call the model"
fi

# CMake, and what it makes again when a file changes.
build() { cmake --build build >log 2>&1 || { cat log >&2; fail "cmake --build failed"; }; }
compiled() { grep -c 'Compiling the model' log || true; }
answer() { build/app "$text" | tr '\n' ' '; }
cmake -S . -B build -G "$generator" -D LANGUAGE="$language" >log 2>&1 || { cat log >&2; fail "cmake failed"; }
build
expect "$(compiled)" 3
expect "$(answer)" "0: $scores 0: 2 40 "
expect "$(build/gpu)" tiny_gpu
build/versions | grep -q bound || fail "the shared runtime does not answer"
if [ -z "$once" ]; then
  build
  expect "$(compiled)" 0
  echo 'fn scale(a) = 3.0 * a' >pair/parts.weft
  build
  expect "$(compiled)" 1
  expect "$(answer)" "0: $scores 0: 3 60 "
  weights "$two" "$one"
  build
  expect "$(compiled)" 1
  expect "$(answer)" "0: $scores 0: 6 30 "
  touch sizes.json
  build
  expect "$(compiled)" 1
  touch "$(command -v weftc)"
  build
  expect "$(compiled)" 3
fi

# pkg-config: the shared runtime and a program without any shared library.
weftc tiny.weft --random-weights -o tiny.o
# shellcheck disable=SC2046 # words are wanted
cc -Wall -Werror main.c tiny.o $(pkg-config --cflags --libs weft) "-Wl,-rpath,$(pkg-config --variable=libdir weft)" \
  -o shared
expect "$(./shared "$text")" "$scores"
ldd shared | grep -q libweft_runtime.so || fail "the runtime is not shared"
# shellcheck disable=SC2046
cc -static main.c tiny.o $(pkg-config --cflags --static --libs weft) -o static
expect "$(./static "$text")" "$scores"
# C++, with the shared runtime.
# shellcheck disable=SC2046
c++ -std=c++17 -Wall -Werror -I. "$examples/cpp/main.cpp" tiny.o $(pkg-config --cflags --libs weft) \
  "-Wl,-rpath,$(pkg-config --variable=libdir weft)" -o plusplus
expect "$(./plusplus "$text" | wc -l)" 3
echo "used: $(weftc --version | head -1)"
