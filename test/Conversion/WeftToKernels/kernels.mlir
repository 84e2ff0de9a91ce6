// RUN: weft-opt --weft-assign-layout --weft-pack-weights=nr=32 %S/Inputs/block.mlir | FileCheck %s --check-prefix=FUSED
// RUN: weft-opt --weft-assign-layout --weft-pack-weights=nr=32 --weft-outline-kernels --weft-plan-memory %S/Inputs/block.mlir | FileCheck %s

// A gather reads the panels of the weight that the logits also multiply with.
// FUSED: weft.weight "wte" : tensor<97x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
// FUSED: weft.at %{{.*}}[%{{.*}}, %{{.*}}] {{.*}}: tensor<97x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>

// All layers share one entry: 16384 bytes at the start, the stream of states behind it.
// CHECK-LABEL: func.func @logits
// CHECK-SAME: %[[LOGITS:[a-z0-9]*]]: memref<?x97xf32> {weft.bounds = #weft.bounds<T to 16>, weft.name = "logits", weft.output}
// CHECK-SAME: weft.scratch = 24576
// CHECK: weft.weight "wte" {offset = 64 : i64
// CHECK: %[[X:.*]] = weft.buffer offset 16384 bytes 4096 live 1 to 2
// CHECK: weft.weight "h.0.attn.w" {offset = 32832
// CHECK: %[[X1:.*]] = weft.buffer offset 20480 bytes 4096 live 2 to 3
// CHECK: call @Block(%[[X]], {{.*}}, %[[X1]]) {weft.arena = 0 : i64}
// CHECK: %[[X2:.*]] = weft.buffer offset 16384 bytes 4096 live 3 to 4
// CHECK: call @Block(%[[X1]], {{.*}}, %[[X2]]) {weft.arena = 0 : i64}
// CHECK: weft.launch @logits.contract ins(%[[X2]], %{{.*}} : {{.*}}) outs(%[[LOGITS]] : {{.*}}) sizes ["T"]

// Heads are stored as the columns of one matrix; no copy stands between the products.
// CHECK-LABEL: func.func private @Block
// CHECK-SAME: weft.scratch = 16384
// CHECK: weft.buffer offset 0 bytes 12288 live 0 to 1 {{.*}} memref<?x3x4x16xf32>
// CHECK: weft.buffer offset 12288 bytes 4096 live 1 to 2 {{.*}} memref<?x4x16xf32>

// CHECK-LABEL: func.func private @qkv.contract
// CHECK-SAME: weft.kernel
// CHECK-NEXT: weft.contract
// CHECK-SAME: ins(%{{.*}}[t, d], %{{.*}}[d, n, h, c], %{{.*}}[n, h, c] :
// CHECK-SAME: outs(%{{.*}} : memref<?x3x4x16xf32>)
// CHECK-SAME: output_map
