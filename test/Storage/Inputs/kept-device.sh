# kept-device.sh ROOT INPUTS FORMAT...: the model m in these formats, for a GPU, gives what it gives with plain numbers; all six products of matrices
# with codes are of matrix units.
set -e
root=$1 inputs=$2
shift 2
for format; do
  python3 $root/utils/make_quantised.py m $format -o $format --dequantised $format-plain
  weftc $format-plain --no-step -o plain.so
  weft-run plain.so --inputs $inputs --outputs plain.out
  weftc $format --no-step --target=nvptx --join-launches=false --emit=kernels -o kernels.mlir
  test $(grep 'weft.contract .*codes = ' kernels.mlir | grep -c 'lowering<"mma"') = 6
  weftc $format --no-step --target=nvptx --march=sm_80 -o coded.so
  weft-gpu-emu -- weft-run coded.so --inputs $inputs --expect plain.out --tolerance=3e-6
done
