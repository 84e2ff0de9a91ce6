# make-fake.sh DIR INCLUDE RUNTIME.a [flags]: the hand-written model and its weights, in DIR.
set -e
dir=$1 include=$2 runtime=$3
shift 3
here=$(dirname "$0")
mkdir -p "$dir"
${CC:-cc} -std=c11 -Wall -Wextra -Werror -shared -fPIC "-I$include" "$@" "$here/fake_model.c" \
  -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive -pthread -o "$dir/fake.so"
python3 "$here/tensors.py" weights "$dir/fake.weights" 0x1234 10,0.5
