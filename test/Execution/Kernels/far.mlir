// Elements further apart than 2^28 and 2^31, of which only pages that are read exist, against plain C.
// RUN: weft-opt %s --weft-assign-lowering="width=1 registers=16" --weft-lower-kernels --canonicalize --weft-lower-units --weft-lower-to-llvm --canonicalize | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.1.o
// RUN: cc -O1 %S/Inputs/far.c %t.1.o -o %t.1.exe -lm && %t.1.exe
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 threads=2 l2=512" --weft-lower-kernels --canonicalize --weft-lower-units --weft-lower-to-llvm --canonicalize | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.8.o
// RUN: cc -O1 %S/Inputs/far.c %t.8.o -o %t.8.exe -lm && %t.8.exe
// RUN: weft-opt %s --weft-assign-lowering="width=16" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | opt -O2 | llc -O2 -relocation-model=pic -filetype=obj -o %t.16.o
// RUN: cc -O1 %S/Inputs/far.c %t.16.o -o %t.16.exe -lm && %t.16.exe

module {
func.func @product(%a: memref<11x300000000xf32>, %w: memref<1x11x16xf32>, %out: memref<13x9xf32>) attributes {weft.kernel} {
  weft.contract [m in M = 13, n in N = 9, k in K = 11] ins(%a[k, m + 299999987], %w[n floordiv 16, k, n mod 16] : memref<11x300000000xf32>, memref<1x11x16xf32>) outs(%out : memref<13x9xf32>)
  return
}
func.func @largest(%a: memref<11x300000000xf32>, %out: memref<13xf32>) attributes {weft.kernel} {
  weft.reduce max [m in M = 13, k in K = 11] ins(%a[k, m + 299999987] : memref<11x300000000xf32>) outs(%out : memref<13xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func @weights(%a: memref<11x300000000xf32>, %out: memref<13x11xf32>) attributes {weft.kernel} {
  weft.softmax softmax axis 1 [m in M = 13, k in K = 11] ins(%a[k, m + 299999987] : memref<11x300000000xf32>) outs(%out : memref<13x11xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func @turned(%a: memref<11x300000000xf32>, %out: memref<13x11xf32>) attributes {weft.kernel} {
  weft.map [m in M = 13, k in K = 11] ins(%a[k, m + 299999987] : memref<11x300000000xf32>) outs(%out : memref<13x11xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func @gathered(%a: memref<11x300000000xf32>, %rows: memref<13xi32>, %columns: memref<13xi32>, %out: memref<13xf32>) attributes {weft.kernel} {
  weft.map [m in M = 13] ins(%rows[m], %columns[m] : memref<13xi32>, memref<13xi32>) outs(%out : memref<13xf32>) {
  ^bb0(%0: i32, %1: i32):
    %row = arith.index_cast %0 : i32 to index
    %column = arith.index_cast %1 : i32 to index
    %2 = weft.at %a[%row, %column] : memref<11x300000000xf32>
    weft.yield %2 : f32
  }
  return
}
func.func @attend(%q: memref<11x5xf32>, %a: memref<11x300000000xf32>, %out: memref<11x13xf32>) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.5] [t in T = 11, v in V = 13, s in T = 11, c in C = 5]
    ins(%q[t, c], %a[s, c], %a[s, v + 299999987] : memref<11x5xf32>, memref<11x300000000xf32>, memref<11x300000000xf32>) outs(%out : memref<11x13xf32>) {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}
}
