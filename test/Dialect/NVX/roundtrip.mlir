// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --convert-nvx-to-llvm | FileCheck %s --check-prefix=LLVM

// LLVM-NOT: nvx.

// CHECK-LABEL: @position
// CHECK: nvx.thread_id : i32
// CHECK: nvx.block_id : i32
// LLVM-LABEL: @position
// LLVM: nvvm.read.ptx.sreg.tid.x : i32
// LLVM: nvvm.read.ptx.sreg.ctaid.x : i32
func.func @position() -> (i32, i32) {
  %0 = nvx.thread_id : i32
  %1 = nvx.block_id : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @together
// CHECK: nvx.shuffle %arg0 xor 16 : f32
// CHECK: nvx.shuffle %arg1 xor 1 : i32
// CHECK: nvx.barrier
// LLVM-LABEL: @together
// LLVM-DAG: %[[ALL:.+]] = llvm.mlir.constant(-1 : i32)
// LLVM-DAG: %[[LAST:.+]] = llvm.mlir.constant(31 : i32)
// LLVM-DAG: %[[DISTANCE:.+]] = llvm.mlir.constant(16 : i32)
// LLVM: nvvm.shfl.sync bfly %[[ALL]], %arg0, %[[DISTANCE]], %[[LAST]] : f32 -> f32
// LLVM: nvvm.shfl.sync bfly %{{.+}}, %arg1, %{{.+}}, %{{.+}} : i32 -> i32
// LLVM: nvvm.barrier0
func.func @together(%x: f32, %n: i32) -> (f32, i32) {
  %0 = nvx.shuffle %x xor 16 : f32
  %1 = nvx.shuffle %n xor 1 : i32
  nvx.barrier
  return %0, %1 : f32, i32
}

// CHECK-LABEL: @functions
// CHECK: nvx.ex2 %arg0 : f32
// CHECK: nvx.rcp %arg0 : f32
// CHECK: nvx.rsqrt %arg0 : f32
// CHECK: nvx.mul %arg0, %arg0 : f32
// LLVM-LABEL: @functions
// LLVM: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%arg0) : (f32) -> f32
// LLVM: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%arg0) : (f32) -> f32
// LLVM: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"(%arg0) : (f32) -> f32
// LLVM: llvm.call_intrinsic "llvm.nvvm.mul.rn.ftz.f"(%arg0, %arg0) : (f32, f32) -> f32
func.func @functions(%x: f32) -> (f32, f32, f32, f32) {
  %0 = nvx.ex2 %x : f32
  %1 = nvx.rcp %x : f32
  %2 = nvx.rsqrt %x : f32
  %3 = nvx.mul %x, %x : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// CHECK-LABEL: @copies
// CHECK: nvx.cp_async %arg0, %arg1, %arg2{{$}}
// CHECK: nvx.cp_async %arg0, %arg1, %arg2 of 8
// CHECK: nvx.cp_async_commit
// CHECK: nvx.cp_async_wait 1
// LLVM-LABEL: @copies
// LLVM: nvvm.cp.async.shared.global %arg0, %arg1, 16, cache = cg, %arg2 : !llvm.ptr<3>, !llvm.ptr<1>, i32
// LLVM: nvvm.cp.async.shared.global %arg0, %arg1, 8, cache = ca, %arg2 : !llvm.ptr<3>, !llvm.ptr<1>, i32
// LLVM: nvvm.cp.async.commit.group
// LLVM: nvvm.cp.async.wait.group 1
func.func @copies(%target: !llvm.ptr<3>, %source: !llvm.ptr<1>, %bytes: i32) {
  nvx.cp_async %target, %source, %bytes
  nvx.cp_async %target, %source, %bytes of 8
  nvx.cp_async_commit
  nvx.cp_async_wait 1
  return
}

// CHECK-LABEL: @matrices
// CHECK: nvx.ldmatrix %arg0 : i32
// CHECK: nvx.ldmatrix %arg0 trans : i32, i32
// CHECK: nvx.ldmatrix %arg0 : i32, i32, i32, i32
// LLVM-LABEL: @matrices
// LLVM: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16"(%arg0) : (!llvm.ptr<3>) -> i32
// LLVM: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16"(%arg0) : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
// LLVM: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"(%arg0) : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
// LLVM: llvm.extractvalue %{{.+}}[3]
func.func @matrices(%rows: !llvm.ptr<3>) -> (i32, i32, i32) {
  %0 = nvx.ldmatrix %rows : i32
  %1:2 = nvx.ldmatrix %rows trans : i32, i32
  %2:4 = nvx.ldmatrix %rows : i32, i32, i32, i32
  return %0, %1#1, %2#3 : i32, i32, i32
}

// CHECK-LABEL: @products
// CHECK: nvx.mma bf16 [%arg0, %arg0, %arg0, %arg0] x [%arg0, %arg0] + [%arg1, %arg1, %arg1, %arg1]
// CHECK: nvx.mma f16 [
// CHECK: nvx.mma tf32 [
// LLVM-LABEL: @products
// LLVM: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// LLVM: llvm.bitcast %arg0 : i32 to vector<2xf16>
// LLVM: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// LLVM: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
func.func @products(%a: i32, %c: f32) -> f32 {
  %0:4 = nvx.mma bf16 [%a, %a, %a, %a] x [%a, %a] + [%c, %c, %c, %c]
  %1:4 = nvx.mma f16 [%a, %a, %a, %a] x [%a, %a] + [%0#0, %0#1, %0#2, %0#3]
  %2:4 = nvx.mma tf32 [%a, %a, %a, %a] x [%a, %a] + [%1#0, %1#1, %1#2, %1#3]
  return %2#0 : f32
}

// CHECK-LABEL: @codes
// CHECK: nvx.mma_codes[%arg0, %arg0, %arg0, %arg0] x [%arg1, %arg1] + [%arg0, %arg0, %arg0, %arg0]
// LLVM-LABEL: @codes
// LLVM: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.u8.s8"
func.func @codes(%a: i32, %b: i32) -> i32 {
  %0:4 = nvx.mma_codes [%a, %a, %a, %a] x [%b, %b] + [%a, %a, %a, %a]
  return %0#3 : i32
}

// CHECK-LABEL: @few
// CHECK: nvx.look_up %arg0[%arg1]
// CHECK: nvx.dot_codes %arg1, %arg1, %arg1
// LLVM-LABEL: @few
// LLVM: %[[HALVES:.+]] = llvm.mlir.constant(4127 : i32)
// LLVM: nvvm.shfl.sync idx %{{.+}}, %arg0, %arg1, %[[HALVES]] : f32 -> f32
// LLVM: llvm.call_intrinsic "llvm.nvvm.idp4a.u.s"(%arg1, %arg1, %arg1) : (i32, i32, i32) -> i32
func.func @few(%entry: f32, %code: i32) -> (f32, i32) {
  %0 = nvx.look_up %entry[%code]
  %1 = nvx.dot_codes %code, %code, %code
  return %0, %1 : f32, i32
}

// CHECK-LABEL: @rounds
// CHECK: nvx.round_tf32 %arg0
// LLVM-LABEL: @rounds
// LLVM: llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%arg0) : (f32) -> i32
func.func @rounds(%x: f32) -> i32 {
  %0 = nvx.round_tf32 %x
  return %0 : i32
}

// CHECK-LABEL: @meeting
// CHECK: nvx.grid_size : i32
// CHECK: nvx.broadcast %{{.+}}
// CHECK: nvx.read_lane %{{.+}}[%{{.+}}]
// CHECK: nvx.warp_barrier
// LLVM-LABEL: @meeting
// LLVM: nvvm.read.ptx.sreg.nctaid.x : i32
// LLVM: nvvm.shfl.sync idx
// LLVM: %[[LANES:.+]] = llvm.mlir.constant(31 : i32)
// LLVM: nvvm.shfl.sync idx %{{.+}}, %[[FIRST:.+]], %[[FIRST]], %[[LANES]] : i32 -> i32
// LLVM: nvvm.bar.warp.sync
func.func @meeting() -> i32 {
  %0 = nvx.grid_size : i32
  %1 = nvx.broadcast %0
  %2 = nvx.read_lane %1[%1]
  nvx.warp_barrier
  return %2 : i32
}

// CHECK-LABEL: @parts
// CHECK: nvx.named_barrier 1 of 128
// CHECK: nvx.named_barrier arrive 3 of 256
// CHECK: nvx.async_fence
// LLVM-LABEL: @parts
// LLVM: "bar.sync 1, 128;", "~{memory}"
// LLVM: "bar.arrive 3, 256;", "~{memory}"
// LLVM: "fence.proxy.async.shared::cta;", "~{memory}"
func.func @parts() {
  nvx.named_barrier 1 of 128
  nvx.named_barrier arrive 3 of 256
  nvx.async_fence
  return
}

// CHECK-LABEL: @boxes
// CHECK: nvx.mbarrier_init %arg0, 8
// CHECK: nvx.mbarrier_fence
// CHECK: nvx.mbarrier_expect %arg0, 16384
// CHECK: nvx.tma_load %arg1, %arg2[%arg3, %arg3], %arg0
// CHECK: nvx.mbarrier_wait %arg0, %arg3
// CHECK: nvx.mbarrier_arrive %arg0
// LLVM-LABEL: @boxes
// LLVM: llvm.inline_asm has_side_effects asm_dialect = att "mbarrier.init.shared.b64 [$0], 8;", "r,~{memory}" %{{.+}} : (i32) -> ()
// LLVM: "fence.mbarrier_init.release.cluster;", "~{memory}"
// LLVM: "mbarrier.arrive.expect_tx.shared.b64 _, [$0], 16384;", "r,~{memory}"
// LLVM: "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];", "r,l,r,r,r,~{memory}"
// LLVM: mbarrier.try_wait.parity.shared.b64 ended, [$0], $1;
// LLVM: "mbarrier.arrive.shared.b64 _, [$0];", "r,~{memory}"
func.func @boxes(%barrier: !llvm.ptr<3>, %target: !llvm.ptr<3>, %map: !llvm.ptr, %x: i32) {
  nvx.mbarrier_init %barrier, 8
  nvx.mbarrier_fence
  nvx.mbarrier_expect %barrier, 16384
  nvx.tma_load %target, %map[%x, %x], %barrier
  nvx.mbarrier_wait %barrier, %x
  nvx.mbarrier_arrive %barrier
  return
}

// CHECK-LABEL: @results
// CHECK: nvx.tma_store %arg1[%arg2, %arg2, %arg2], %arg0
// CHECK: nvx.tma_commit
// CHECK: nvx.tma_wait read 1
// CHECK: nvx.tma_wait 0
// LLVM-LABEL: @results
// LLVM: "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [$0, {$1, $2, $3}], [$4];", "l,r,r,r,r,~{memory}"
// LLVM: "cp.async.bulk.commit_group;", "~{memory}"
// LLVM: "cp.async.bulk.wait_group.read 1;", "~{memory}"
// LLVM: "cp.async.bulk.wait_group 0;", "~{memory}"
func.func @results(%source: !llvm.ptr<3>, %map: !llvm.ptr, %x: i32) {
  nvx.tma_store %map[%x, %x, %x], %source
  nvx.tma_commit
  nvx.tma_wait read 1
  nvx.tma_wait 0
  return
}

// CHECK-LABEL: @groups
// CHECK: nvx.max_registers 40
// CHECK: nvx.max_registers more 232
// CHECK: nvx.opaque [%arg2] : i32
// CHECK: nvx.wgmma_fence [%arg1, %arg1, %arg1, %arg1] : f32, f32, f32, f32
// CHECK: nvx.wgmma bf16 [%arg0] x %arg0 + [%{{.+}}#0, %{{.+}}#1, %{{.+}}#2, %{{.+}}#3] {trans} : i64 -> f32, f32, f32, f32
// CHECK: nvx.wgmma f16 [%[[R:.+]], %[[R]], %[[R]], %[[R]]] x %arg0 +
// CHECK: nvx.wgmma tf32 [%arg0] x %arg0 + {{.*}} {only}
// CHECK: nvx.wgmma_commit
// CHECK: nvx.wgmma_wait 1 []
// CHECK: nvx.wgmma_wait 0 [
// LLVM-LABEL: @groups
// LLVM: "setmaxnreg.dec.sync.aligned.u32 40;"
// LLVM: "setmaxnreg.inc.sync.aligned.u32 232;"
// LLVM: llvm.inline_asm has_side_effects asm_dialect = att "", "=r,0,~{memory}" %arg2 : (i32) -> i32
// LLVM: "wgmma.fence.sync.aligned;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
// LLVM: "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 1;", "=f,=f,=f,=f,0,1,2,3,l,l,~{memory}"
// LLVM: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1, 1, 1, 0;"
// LLVM: "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $8, $9, 0, 1, 1;"
// LLVM: "wgmma.commit_group.sync.aligned;"
// LLVM: "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
func.func @groups(%m: i64, %c: f32, %n: i32) -> f32 {
  nvx.max_registers 40
  nvx.max_registers more 232
  %r = nvx.opaque [%n] : i32
  %0:4 = nvx.wgmma_fence [%c, %c, %c, %c] : f32, f32, f32, f32
  %1:4 = nvx.wgmma bf16 [%m] x %m + [%0#0, %0#1, %0#2, %0#3] {trans} : i64 -> f32, f32, f32, f32
  %2:4 = nvx.wgmma f16 [%r, %r, %r, %r] x %m + [%1#0, %1#1, %1#2, %1#3] : i32, i32, i32, i32 -> f32, f32, f32, f32
  %3:4 = nvx.wgmma tf32 [%m] x %m + [%2#0, %2#1, %2#2, %2#3] {only} : i64 -> f32, f32, f32, f32
  nvx.wgmma_commit
  nvx.wgmma_wait 1 []
  %4:4 = nvx.wgmma_wait 0 [%3#0, %3#1, %3#2, %3#3] : f32, f32, f32, f32
  return %4#0 : f32
}
