// Attention with bounds, windows, predicates, several dot products and no normaliser, against plain C.
// RUN: weft-opt %s --weft-assign-lowering="width=1 registers=16" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.1.o
// RUN: cc -O1 %S/Inputs/attention.c %t.1.o -o %t.1.exe -lm && %t.1.exe
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 threads=2" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.8.o
// RUN: cc -O1 %S/Inputs/attention.c %t.8.o -o %t.8.exe -lm && %t.8.exe
// RUN: weft-opt %s --weft-assign-lowering="width=16" --weft-lower-kernels --weft-lower-units --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.16.o
// RUN: cc -O1 %S/Inputs/attention.c %t.16.o -o %t.16.exe -lm && %t.16.exe

module attributes {weft.symbols = #weft.bounds<T to 1024, S to 512>} {
func.func @causal(%q: memref<?x3x2x16xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?x2x16xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.25] [h in H = 2, t in T to 1024, v in C = 16, s in T to 1024, c in C = 16]
    ins(%q[t, 0, h, c], %q[s, 1, h, c], %q[s, 2, h, v] : memref<?x3x2x16xf32>, memref<?x3x2x16xf32>, memref<?x3x2x16xf32>) outs(%out : memref<?x2x16xf32>)
    attributes {output_maps = [affine_map<(h, t, v, s, c) -> (t, h, v)>], key_upper = affine_map<(h, t, v) -> (t + 1)>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}
func.func @window(%q: memref<4x?x10xf32> {weft.bounds = #weft.bounds<T to 1024>}, %k: memref<2x?x10xf32> {weft.bounds = #weft.bounds<S to 512>}, %v: memref<2x?x5xf32> {weft.bounds = #weft.bounds<S to 512>}, %bias: memref<4x64xf32>, %out: memref<4x?x5xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.25] [h in H = 4, t in T to 1024, v in V = 5, s in S to 512, c in C = 10]
    ins(%q[h, t, c], %k[h floordiv 2, s, c], %v[h floordiv 2, s, v] : memref<4x?x10xf32>, memref<2x?x10xf32>, memref<2x?x5xf32>) outs(%out : memref<4x?x5xf32>)
    attributes {key_lower = affine_map<(h, t, v) -> (t - 7)>, key_upper = affine_map<(h, t, v)[S] -> (t + 3, S)>, bound_symbols = ["S"]} {
  ^bb0(%s: f32):
    %h = weft.index 0
    %t = weft.index 1
    %k1 = weft.index 3
    %d = arith.subi %t, %k1 : index
    %c9 = arith.constant 9 : index
    %d2 = arith.addi %d, %c9 : index
    %b = weft.at %bias[%h, %d2] : memref<4x64xf32>
    %r = arith.addf %s, %b : f32
    weft.yield %r : f32
  } where {
    %t = weft.index 1
    %k1 = weft.index 3
    %c3 = arith.constant 3 : index
    %d = arith.addi %t, %k1 : index
    %m = arith.remsi %d, %c3 : index
    %c0 = arith.constant 0 : index
    %p = arith.cmpi ne, %m, %c0 : index
    weft.yield %p : i1
  }
  return
}
func.func @two(%q: memref<?x2x20xf32> {weft.bounds = #weft.bounds<T to 1024>}, %k: memref<?x2x20xf32> {weft.bounds = #weft.bounds<S to 512>}, %r: memref<?x7xf32> {weft.bounds = #weft.bounds<T to 1024>}, %kr: memref<7x?xf32> {weft.bounds = #weft.bounds<S to 512>}, %v: memref<?x2x20xf32> {weft.bounds = #weft.bounds<S to 512>}, %mask: memref<?xi1> {weft.bounds = #weft.bounds<S to 512>}, %out: memref<?x2x20xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention none dots 2 scales [1.0, 0.5] [t in T to 1024, h in H = 2, v in C = 20, s in S to 512, c in C = 20, e in E = 7]
    ins(%q[t, h, c], %k[s, h, c], %r[t, e], %kr[e, s], %v[s, h, v], %mask[s] : memref<?x2x20xf32>, memref<?x2x20xf32>, memref<?x7xf32>, memref<7x?xf32>, memref<?x2x20xf32>, memref<?xi1>) outs(%out : memref<?x2x20xf32>) {
  ^bb0(%s: f32, %s2: f32, %m: i1):
    %r1 = math.tanh %s : f32
    %r2 = arith.mulf %r1, %s2 : f32
    weft.yield %r2 : f32
  } where {
  ^bb0(%m: i1):
    weft.yield %m : i1
  }
  return
}
func.func @masked(%q: memref<?x2x20xf32> {weft.bounds = #weft.bounds<T to 1024>}, %k: memref<?x2x20xf32> {weft.bounds = #weft.bounds<S to 512>}, %v: memref<?x2x20xf32> {weft.bounds = #weft.bounds<S to 512>}, %mask: memref<?xi32> {weft.bounds = #weft.bounds<S to 512>}, %out: memref<2x?x20xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.attention softmax dots 1 scales [0.125] [h in H = 2, t in T to 1024, v in C = 20, s in S to 512, c in C = 20]
    ins(%q[t, h, c], %k[s, h, c], %v[s, h, v], %mask[s] : memref<?x2x20xf32>, memref<?x2x20xf32>, memref<?x2x20xf32>, memref<?xi32>) outs(%out : memref<2x?x20xf32>) {
  ^bb0(%s: f32, %m: i32):
    weft.yield %s : f32
  } where {
  ^bb0(%m: i32):
    %c0 = arith.constant 0 : i32
    %p = arith.cmpi ne, %m, %c0 : i32
    weft.yield %p : i1
  }
  return
}
}
