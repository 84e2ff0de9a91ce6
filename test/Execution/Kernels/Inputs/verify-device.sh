# verify-device.sh PATTERN=COUNT MODEL FLAGS...: so many schedules match the pattern, and all that is computed agrees with the interpreter
# in the emulator of $CHIP (sm_80), with sizes of run time up to $LENGTH (their bounds, at most 128); of sm_90a as many kernels of its own
# ($RAN) ran. The same bits come of $SEEDS orders of threads (4). A kernel is one formula unless $JOIN is true.
set -e
pattern=${1%=*} count=${1##*=}
shift
weftc "$@" --target=nvptx --join-launches="${JOIN:-false}" --emit=kernels --name=m -o kernels.mlir
found=$(grep -c "$pattern" kernels.mlir || true)
[ "$found" = "$count" ] || { echo "$found schedules match $pattern, not $count"; exit 1; }
export WEFT_GPU_EMU_LAUNCHES=ran.txt
[ "${CHIP:-sm_80}" = sm_80 ] || export WEFT_GPU_EMU_PROCESSORS=2 # blocks take several tiles
output="--emit=fused -o m.mlir"
[ "${SEEDS:-4}" = 1 ] || output="-o m.so"
weft-gpu-emu -- weftc "$@" --target=nvptx --join-launches="${JOIN:-false}" --march="${CHIP:-sm_80}" --random-weights --verify --verify-length="${LENGTH:-128}" --name=m $output
if [ "${CHIP:-sm_80}" = sm_90a ] && [ -z "$WEFT_GPU" ]; then
  ran=$(grep -c '_sm_90a:' ran.txt || true)
  [ "$ran" -ge "${RAN:-$count}" ] || { echo "$ran kernels of groups of warps ran, not ${RAN:-$count}"; exit 1; }
fi
if [ "${SEEDS:-4}" -gt 1 ]; then
  weft-gpu-emu --seeds="${SEEDS:-4}" -- weft-run m.so --bench=1 ${LENGTH:+--length="$LENGTH"} > seeds.txt
fi
