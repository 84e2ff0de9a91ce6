// exp, tanh and erf of vectors against libm in double precision, over floats of every size: how many units in the last place
// of f32 they are wrong; the rough erf by how much. `MATH_STEP=1 approximations.mlir.tmp.exe` takes every float.
// RUN: weft-opt %s --weft-assign-lowering="width=16" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -mattr=+fma -relocation-model=pic -filetype=obj -fp-contract=fast -o %t.o
// RUN: cc -O1 %S/Inputs/approximations.c %t.o -o %t.exe -lm && %t.exe
// RUN: weft-opt %s --weft-assign-lowering="width=4" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.4.o
// RUN: cc -O1 %S/Inputs/approximations.c %t.4.o -o %t.4.exe -lm && %t.4.exe

func.func @vector_exp(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @vector_tanh(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.tanh %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @vector_erf(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.erf %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @vector_rough_erf(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.erf %0 fastmath<afn> : f32
    weft.yield %1 : f32
  }
  return
}
