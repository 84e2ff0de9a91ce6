// RUN: weft-opt %s --weft-keep-codes="compute=int8" | FileCheck %s
// RUN: weft-opt %s --weft-keep-codes="compute=f32" | FileCheck %s --check-prefix=F32
// F32-NOT: tensor<5x64xi8>
// F32-COUNT-4: coded <reals along

// Products of activations in int8 with codes that stand for whole numbers: the integers of a row are made once for all who multiply it.
// CHECK-LABEL: func.func private @layer(
// CHECK: %[[LARGEST:.+]] = weft.reduce max [{{.*}}] ins(%arg0[{{.*}}] : tensor<5x64xf32>)
// CHECK: %[[CODES:.+]] = weft.map {{.*}} ins(%arg0[{{.*}}], %[[LARGEST]][{{.*}}] : tensor<5x64xf32>, tensor<5xf32>)
// CHECK: arith.subi
// CHECK: -> tensor<5x64xi8>
// CHECK: weft.contract [t in 5, n in 6, k in 64] ins(%[[CODES]][t, k], %arg1[n, k], %[[LARGEST]][t] : tensor<5x64xi8>, tensor<6x64xf32>, tensor<5xf32>) {
// CHECK: %[[FACTOR:.+]] = arith.mulf %{{.+}}, %{{.+}} : f32
// CHECK: arith.mulf %{{.+}}, %[[FACTOR]] {weft.rounded} : f32
// The epilogue goes on with what the sum stands for, and its scale is in the factor; the weight may stand first.
// CHECK: weft.contract [t in 5, n in 6, k in 64] ins(%arg1[n, k], %[[CODES]][t, k], %{{.+}}[n], %[[LARGEST]][t] : tensor<6x64xf32>, tensor<5x64xi8>, tensor<6xf32>, tensor<5xf32>) {
// CHECK: ^bb0(%[[SUM:.+]]: f32, %[[BIAS:.+]]: f32, %[[OWN:.+]]: f32):
// CHECK: arith.constant 0.00393700786 : f32
// CHECK: %[[SCALED:.+]] = arith.mulf %[[SUM]]
// CHECK: arith.addf %[[SCALED]], %[[BIAS]]
func.func private @layer(%x: tensor<5x64xf32>, %w: tensor<6x64xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>) {
  %b = weft.weight "b" : tensor<6xf32>
  %0 = weft.contract [t in 5, n in 6, k in 64] ins(%x[t, k], %w[n, k] : tensor<5x64xf32>, tensor<6x64xf32>) -> tensor<5x6xf32>
  %1 = weft.contract [t in 5, n in 6, k in 64] ins(%w[n, k], %x[t, k], %b[n] : tensor<6x64xf32>, tensor<5x64xf32>, tensor<6xf32>) attributes {scale = 0.5 : f64} {
  ^bb0(%sum: f32, %bias: f32):
    %2 = arith.addf %sum, %bias : f32
    weft.yield %2 : f32
  } -> tensor<5x6xf32>
  return %0, %1 : tensor<5x6xf32>, tensor<5x6xf32>
}

// What is a result, chooses among others or is not whole has products in f32.
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[HEAD:.+]] = weft.weight "head" coded <reals
// CHECK-DAG: %[[ROUTER:.+]] = weft.weight "router" coded <reals
// CHECK-DAG: %[[REALS:.+]] = weft.weight "reals" : tensor<6x64xf32>
// CHECK-NOT: xi8>
// CHECK: return
func.func @main(%x: tensor<5x64xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x2xi32>, tensor<5xf32>) attributes {weft.entry} {
  %a = weft.weight "a" coded <reals along [1] of [6, 64] bits = 4 group = 32 table = "int4*f16"> : tensor<6x64xf32>
  %head = weft.weight "head" coded <reals along [1] of [6, 64] group = 64 table = "int8*f32"> : tensor<6x64xf32>
  %router = weft.weight "router" coded <reals along [1] of [6, 64] bits = 4 group = 32 table = "uint4*f16+f32"> : tensor<6x64xf32>
  %reals = weft.weight "reals" coded <reals along [1] of [6, 64] bits = 4 group = 32 table = "nf4*f32"> : tensor<6x64xf32>
  %0:2 = call @layer(%x, %a) : (tensor<5x64xf32>, tensor<6x64xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>)
  %1 = weft.contract [t in 5, n in 6, k in 64] ins(%x[t, k], %head[n, k] : tensor<5x64xf32>, tensor<6x64xf32>) -> tensor<5x6xf32>
  %2 = weft.contract [t in 5, n in 6, k in 64] ins(%x[t, k], %router[n, k] : tensor<5x64xf32>, tensor<6x64xf32>) -> tensor<5x6xf32>
  %3 = weft.reduce argtop [t in 5, j in 2, n in 6] ins(%2[t, n] : tensor<5x6xf32>) {
  ^bb0(%e: f32):
    %place = weft.index 1
    weft.yield %e, %place : f32, index
  } -> tensor<5x2xi32>
  %4 = weft.contract [t in 5, n in 6, k in 64] ins(%x[t, k], %reals[n, k] : tensor<5x64xf32>, tensor<6x64xf32>) -> tensor<5x6xf32>
  %5 = weft.reduce max [t in 5, n in 6] ins(%4[t, n] : tensor<5x6xf32>) {
  ^bb0(%e: f32):
    weft.yield %e : f32
  } -> tensor<5xf32>
  return %0#0, %0#1, %1, %3, %5 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x2xi32>, tensor<5xf32>
}
