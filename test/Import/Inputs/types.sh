# types.sh EDIT CHECKPOINT DIR TYPE...: compiles GPT-2 with a tensor of each TYPE, none of which is read.
edit=$1 checkpoint=$2 directory=$3
shift 3
for type; do
  python3 "$edit" "$checkpoint" "$directory/$type.safetensors" type transformer.wte.weight "$type"
  weftc "$(dirname "$checkpoint")" --weights="$directory/$type.safetensors" -o "$directory/m.so" && exit 1
done
exit 0
