# run-kernels.sh KERNELS.mlir PROGRAM.c: compiles kernels that have their schedules, links the program and runs it.
weft-opt "$1" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm -o "$1.llvm" &&
  mlir-translate --mlir-to-llvmir "$1.llvm" -o "$1.ll" &&
  llc -O2 -relocation-model=pic -filetype=obj "$1.ll" -o "$1.o" &&
  cc -O1 "$2" "$1.o" -o "$1.exe" -lm && "$1.exe"
