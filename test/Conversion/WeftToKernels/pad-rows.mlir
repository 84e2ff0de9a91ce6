// Rows of bf16 or codes that a product in panels multiplies as a whole begin an odd number of lines of 64 bytes apart for a matrix unit.
// RUN: weft-opt %s --weft-outline-kernels="pad-rows" | FileCheck %s
// RUN: weft-opt %s --weft-outline-kernels | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: strided

// 1536 bytes are 24 lines, 25 with one more; the kernels know the stride.
// CHECK-LABEL: func.func @rows(
// CHECK: weft.buffer offset -1 bytes 102400 {{.*}} : memref<?x768xbf16, strided<[800, 1]>>
// CHECK: weft.launch @{{.*}} outs({{.*}} : memref<?x768xbf16, strided<[800, 1]>>)
// CHECK: weft.launch @{{.*}} ins({{.*}} : memref<?x768xbf16, strided<[800, 1]>>, memref<64x768xbf16, #weft.layout
func.func @rows(%x: tensor<?x768xf32, #weft.bounds<T to 64>>, %w: tensor<64x768xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> tensor<?x64xf32, #weft.bounds<T to 64>> {
  %0 = weft.map [t in T to 64, d in 768] ins(%x[t, d] : tensor<?x768xf32, #weft.bounds<T to 64>>) {
  ^bb0(%a: f32):
    weft.yield %a : f32
  } -> tensor<?x768xbf16, #weft.bounds<T to 64>>
  %1 = weft.contract [t in T to 64, n in 64, d in 768] ins(%0[t, d], %w[n, d] : tensor<?x768xbf16, #weft.bounds<T to 64>>, tensor<64x768xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> tensor<?x64xf32, #weft.bounds<T to 64>>
  return %1 : tensor<?x64xf32, #weft.bounds<T to 64>>
}

// Heads side by side are one row, and 480 bytes are no whole number of pairs of lines.
// CHECK-LABEL: func.func @heads(
// CHECK: memref<64x4x32xbf16, strided<[160, 32, 1]>>
// CHECK: weft.buffer {{.*}} : memref<64x240xbf16>
func.func @heads(%x: tensor<64x4x32xf32>, %u: tensor<64x240xf32>, %w: tensor<64x4x32xbf16, #weft.layout<n = [0], k = [1, 2], tile = [32, 2]>>,
                 %v: tensor<64x240xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = weft.map [t in 64, h in 4, d in 32] ins(%x[t, h, d] : tensor<64x4x32xf32>) {
  ^bb0(%a: f32):
    weft.yield %a : f32
  } -> tensor<64x4x32xbf16>
  %1 = weft.contract [t in 64, n in 64, h in 4, d in 32] ins(%0[t, h, d], %w[n, h, d] : tensor<64x4x32xbf16>, tensor<64x4x32xbf16, #weft.layout<n = [0], k = [1, 2], tile = [32, 2]>>) -> tensor<64x64xf32>
  %2 = weft.map [t in 64, d in 240] ins(%u[t, d] : tensor<64x240xf32>) {
  ^bb0(%a: f32):
    weft.yield %a : f32
  } -> tensor<64x240xbf16>
  %3 = weft.contract [t in 64, n in 64, d in 240] ins(%2[t, d], %v[n, d] : tensor<64x240xbf16>, tensor<64x240xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> tensor<64x64xf32>
  return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}

// There is memory for 16 rows of 10, of which each begins where the one before ends, as 448 bytes are an odd number of lines; and for
// 32 where two planes of a row are rows.
// CHECK-LABEL: func.func @tiles(
// CHECK: weft.buffer offset -1 bytes 7168 {{.*}} : memref<10x224xbf16>
// CHECK: weft.buffer offset -1 bytes 4096 {{.*}} : memref<10x2x128xui8>
func.func @tiles(%x: tensor<10x224xf32>, %w: tensor<64x224xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %a: tensor<10x2x128xui8>,
                 %v: tensor<64x128xi8, #weft.layout<n = [0], k = [1], tile = [32, 4]>>) -> (tensor<10x64xf32>, tensor<10x2x64xi32>) {
  %0 = weft.map [t in 10, d in 224] ins(%x[t, d] : tensor<10x224xf32>) {
  ^bb0(%a0: f32):
    weft.yield %a0 : f32
  } -> tensor<10x224xbf16>
  %1 = weft.contract [t in 10, n in 64, d in 224] ins(%0[t, d], %w[n, d] : tensor<10x224xbf16>, tensor<64x224xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> tensor<10x64xf32>
  %2 = weft.map [t in 10, p in 2, d in 128] ins(%a[t, p, d] : tensor<10x2x128xui8>) {
  ^bb0(%a0: i32):
    weft.yield %a0 : i32
  } -> tensor<10x2x128xui8>
  %3 = weft.contract [t in 10, p in 2, n in 64, d in 128] ins(%2[t, p, d], %v[n, d] : tensor<10x2x128xui8>, tensor<64x128xi8, #weft.layout<n = [0], k = [1], tile = [32, 4]>>) -> tensor<10x2x64xi32>
  return %1, %3 : tensor<10x64xf32>, tensor<10x2x64xi32>
}

// Must not fire: f32; rows of a head alone, which are no longer equally far from each other; results and arguments, whose places others
// choose.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: strided
// CHECK: return
func.func @others(%x: tensor<64x128xf32>, %q: tensor<64x2x64xbf16>, %w: tensor<64x128xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>,
                  %v: tensor<64x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> (tensor<64x64xf32>, tensor<64x2x64xf32>, tensor<64x2x64xf32>) {
  %0 = weft.map [t in 64, d in 128] ins(%x[t, d] : tensor<64x128xf32>) {
  ^bb0(%a: f32):
    weft.yield %a : f32
  } -> tensor<64x128xf32>
  %1 = weft.contract [t in 64, n in 64, d in 128] ins(%0[t, d], %w[n, d] : tensor<64x128xf32>, tensor<64x128xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) -> tensor<64x64xf32>
  %2 = weft.contract [t in 64, h in 2, n in 64, d in 64] ins(%q[t, h, d], %v[n, d] : tensor<64x2x64xbf16>, tensor<64x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> tensor<64x2x64xf32>
  %3 = weft.map [t in 64, h in 2, d in 64] ins(%q[t, h, d] : tensor<64x2x64xbf16>) {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    weft.yield %b : f32
  } -> tensor<64x2x64xbf16>
  %4 = weft.contract [t in 64, h in 2, n in 64, d in 64] ins(%3[t, h, d], %v[n, d] : tensor<64x2x64xbf16>, tensor<64x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> tensor<64x2x64xf32>
  return %1, %2, %4 : tensor<64x64xf32>, tensor<64x2x64xf32>, tensor<64x2x64xf32>
}

// What a layer makes lies in an argument of it, which has the type that it has for others.
// CHECK-LABEL: func.func @called(
// CHECK: weft.buffer offset -1 bytes 98304 {{.*}} : memref<?x768xbf16>
// CHECK: call @layer({{.*}}) : (memref<?x768xf32>, memref<?x768xbf16>) -> ()
// CHECK: weft.launch @{{.*}} ins({{.*}} : memref<?x768xbf16>, memref<64x768xbf16, #weft.layout
func.func @called(%x: tensor<?x768xf32, #weft.bounds<T to 64>>, %w: tensor<64x768xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> tensor<?x64xf32, #weft.bounds<T to 64>> {
  %0 = call @layer(%x) : (tensor<?x768xf32, #weft.bounds<T to 64>>) -> tensor<?x768xbf16, #weft.bounds<T to 64>>
  %1 = weft.contract [t in T to 64, n in 64, d in 768] ins(%0[t, d], %w[n, d] : tensor<?x768xbf16, #weft.bounds<T to 64>>, tensor<64x768xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) -> tensor<?x64xf32, #weft.bounds<T to 64>>
  return %1 : tensor<?x64xf32, #weft.bounds<T to 64>>
}
func.func private @layer(%x: tensor<?x768xf32, #weft.bounds<T to 64>>) -> tensor<?x768xbf16, #weft.bounds<T to 64>> {
  %0 = weft.map [t in T to 64, d in 768] ins(%x[t, d] : tensor<?x768xf32, #weft.bounds<T to 64>>) {
  ^bb0(%a: f32):
    weft.yield %a : f32
  } -> tensor<?x768xbf16, #weft.bounds<T to 64>>
  return %0 : tensor<?x768xbf16, #weft.bounds<T to 64>>
}
