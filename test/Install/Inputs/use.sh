#!/bin/sh
# use.sh EXAMPLES APP WORK GENERATOR LANGUAGE
# Goes a user's ways with the Weft that PATH (and PKG_CONFIG_PATH) lead to, in the new folder WORK: weftc and weft-run,
# the CMake project APP, pkg-config. Other Wefts, and the sources, are not to be needed.
set -eu
examples=$1 app=$2 work=$3 generator=$4 language=$5
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
./program 4 1 | grep -q scores || fail "the program does not run"

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
echo "used: $(weftc --version | head -1)"
