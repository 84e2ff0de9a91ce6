// Products with packed weights, with remainders of rows, columns and blocks, against plain C.
// RUN: weft-opt %s --weft-assign-lowering="width=1 registers=16" --weft-lower-kernels --weft-lower-units=native=flush --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.1.o
// RUN: cc -O1 %S/Inputs/gemm.c %t.1.o -o %t.1.exe -lm && %t.1.exe
// RUN: weft-opt %s --weft-assign-lowering="width=4 registers=32" --weft-lower-kernels --weft-lower-units=native=flush --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.4.o
// RUN: cc -O1 %S/Inputs/gemm.c %t.4.o -o %t.4.exe -lm && %t.4.exe
// RUN: weft-opt %s --weft-assign-lowering="width=8 registers=16 threads=2 l2=8192" --weft-lower-kernels --weft-lower-units=native=flush --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.8.o
// RUN: cc -O1 %S/Inputs/gemm.c %t.8.o -o %t.8.exe -lm && %t.8.exe
// RUN: weft-opt %s --weft-assign-lowering="width=16 l2=8192" --weft-lower-kernels --weft-lower-units=native=flush --weft-lower-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.16.o
// RUN: cc -O1 %S/Inputs/gemm.c %t.16.o -o %t.16.exe -lm && %t.16.exe

!w1 = memref<100x97xf32, #weft.layout<n = [0], k = [1], tile = [16, 1]>>
!w2 = memref<3x8x3x5xf32, #weft.layout<n = [0, 1], k = [2, 3], tile = [16, 1]>>
!w3 = memref<2x64x64xf32, #weft.layout<n = [0, 1], k = [2], tile = [16, 1]>>
module attributes {weft.symbols = #weft.bounds<T to 1024>} {
func.func @g1(%a: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 1024>}, %w: !w1, %bias: memref<100xf32>, %res: memref<?x100xf32> {weft.bounds = #weft.bounds<T to 1024>}, %out: memref<?x100xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.contract [t in T to 1024, f in F = 100, d in D = 97] ins(%a[t, d], %w[f, d], %bias[f], %res[t, f] : memref<?x97xf32>, !w1, memref<100xf32>, memref<?x100xf32>) outs(%out : memref<?x100xf32>) attributes {scale = 0.5 : f64} {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    weft.yield %4 : f32
  }
  return
}
func.func @g2(%a: memref<3x?x5xf32> {weft.bounds = #weft.bounds<T to 1024>}, %w: !w2, %out: memref<3x?x8xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.contract [t in T to 1024, n in N = 3, c in C = 8, h in H = 3, e in E = 5] ins(%a[h, t, e], %w[n, c, h, e] : memref<3x?x5xf32>, !w2) outs(%out : memref<3x?x8xf32>) attributes {output_maps = [affine_map<(t, n, c, h, e) -> (n, t, c)>]}
  return
}
func.func @g3(%a: memref<1x3x?x64xf32> {weft.bounds = #weft.bounds<T to 1024>}, %w: !w3, %out: memref<3x?x2x64xf32> {weft.bounds = #weft.bounds<T to 1024>}) attributes {weft.kernel} {
  weft.contract [b in B = 3, t in T to 1024, h in H = 2, c in C = 64, e in E = 64, u in U = 1] ins(%w[h, c, e], %a[u, b, t, e] : !w3, memref<1x3x?x64xf32>) outs(%out : memref<3x?x2x64xf32>) {
  ^bb0(%0: f32):
    %c = weft.index 3
    %ci = arith.index_cast %c : index to i32
    %cf = arith.sitofp %ci : i32 to f32
    %s = arith.addf %0, %cf : f32
    weft.yield %s : f32
  }
  return
}
}
