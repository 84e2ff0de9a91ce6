// The functions of a GPU's threads, on a processor, whose powers of two and roots stand for the instructions: how many units in
// the last place of f32 they are wrong beside these.
// DEFINE: %{lower} = weft-opt %s --weft-assign-lowering="width=1" --weft-lower-kernels --weft-lower-units --convert-math-to-nvx | sed 's/nvx.ex2/math.exp2/; s/nvx.rsqrt/math.rsqrt/; s/%\(.*\) = nvx.rcp \(.*\) : f32/%%one_\1 = arith.constant 1.0 : f32 %%\1 = arith.divf %%one_\1, \2 : f32/' | weft-opt --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir
// RUN: %{lower} | llc -O2 -mattr=+fma -relocation-model=pic -filetype=obj -o %t.o
// RUN: cc -O1 %S/Inputs/device-math.c %t.o -o %t.exe -lm && %t.exe
// RUN: %{lower} | llc -O2 -relocation-model=pic -filetype=obj -o %t.plain.o
// RUN: cc -O1 %S/Inputs/device-math.c %t.plain.o -o %t.plain.exe -lm && %t.plain.exe

func.func @device_exp(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @device_tanh(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.tanh %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @device_erf(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.erf %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @device_log(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.log %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @device_log1p(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.log1p %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @device_sin(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.sin %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @device_cos(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.cos %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @device_rsqrt(%x: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n] : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32):
    %1 = math.rsqrt %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func @device_pow(%x: memref<4096xf32>, %e: memref<4096xf32>, %y: memref<4096xf32>) attributes {weft.kernel} {
  weft.map [n in N = 4096] ins(%x[n], %e[n] : memref<4096xf32>, memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = math.powf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
