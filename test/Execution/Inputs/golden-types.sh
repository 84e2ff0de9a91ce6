# golden-types.sh ROOT SCRATCH CASE...: compiles golden cases in every type, compares them with the reference and their ways to run with
# each other.
set -e
root=$1 scratch=$2
shift 2
mkdir -p "$scratch"
for case in "$@"; do
  folder=$root/test/Golden/$case
  for kind in "bf16 0.1 --dtype=bf16" "bf16w 0.1 --store=bf16" "f16 0.02 --dtype=f16" "int8 0.4 --store=int8 --compute=int8"; do
    set -- $kind
    name=$1 bound=$2
    shift 2
    weftc "$folder" $* -o "$scratch/$name.so" 2>> "$scratch/log"
    weft-run "$scratch/$name.so" --inputs "$folder/inputs.safetensors" --expect "$folder/expected.safetensors" --tolerance=$bound
  done
  python3 "$root/utils/check_bits.py" --bin "$(dirname "$(command -v weftc)")" "$folder"
done
