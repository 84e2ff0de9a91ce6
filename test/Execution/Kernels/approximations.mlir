// exp, tanh, erf, sin, cos and pow of vectors against libm in double precision, over floats of every size: how many units in the last place
// of f32 they are wrong; the rough erf by how much. `MATH_STEP=1 approximations.mlir.tmp.exe` takes every float. Numbers have the bits of lanes.
// DEFINE: %{lower} = --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm --weft-fuse-products | mlir-translate --mlir-to-llvmir | opt -passes=always-inline,default'<O1>' | llc -O2 -mattr=+fma -relocation-model=pic -filetype=obj
// RUN: weft-opt %s --weft-assign-lowering="width=16" %{lower} -o %t.o
// RUN: cc -O1 %S/Inputs/approximations.c %t.o -o %t.exe -lm && %t.exe | tee %t.out
// RUN: weft-opt %s --weft-assign-lowering="width=1" %{lower} -o %t.1.o
// RUN: cc -O1 %S/Inputs/approximations.c %t.1.o -o %t.1.exe -lm && %t.1.exe | diff %t.out -
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
func.func @vector_sin(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.sin %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @vector_cos(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.cos %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @vector_pow(%x: memref<4096xf32>, %e: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n], %e[n] : memref<4096xf32>, memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = math.powf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
