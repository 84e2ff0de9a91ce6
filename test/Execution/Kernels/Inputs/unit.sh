# unit.sh INSTRUCTION TOLERANCE FLAGS...: a model compiled for this processor has the instruction, and computes what plain
# loops do, to the bit if the tolerance is 0; for 33 rows and for one.
set -e
instruction=$1 tolerance=$2
shift 2
inputs=$(dirname "$0")
python3 "$inputs/uniform.py" many.st x 33x96
python3 "$inputs/uniform.py" one.st x 1x96
weftc "$inputs/unit.weft" "$@" --random-weights -o native.s
grep -q "[[:space:]]$instruction[[:space:]]" native.s
weftc "$inputs/unit.weft" "$@" --random-weights -o native.so
weftc "$inputs/unit.weft" "$@" --plain-units --random-weights -o plain.so
for rows in many one; do
  weft-run plain.so --inputs $rows.st --outputs plain.st
  weft-run native.so --inputs $rows.st --expect plain.st --tolerance="$tolerance" --outputs native.st
  [ "$tolerance" != 0 ] || cmp plain.st native.st
done
