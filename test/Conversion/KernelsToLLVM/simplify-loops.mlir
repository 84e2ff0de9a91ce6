// RUN: weft-opt %s --weft-simplify-loops | FileCheck %s

// What is computed in every iteration leaves the loop, once, and what nobody reads is carried no more. Values that are the same are
// both carried: to find them takes longer than all the rest, and LLVM does.
// CHECK-LABEL: func.func @sums
// CHECK-SAME: (%[[N:.+]]: index, %[[P:.+]]: f32)
// CHECK: %[[TWICE:.+]] = arith.addf %[[P]], %[[P]]
// CHECK-NOT: arith.addf %[[P]], %[[P]]
// CHECK: scf.for {{.*}} iter_args(%[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}) -> (f32, f32) {
// CHECK-NEXT: %[[X:.+]] = arith.addf %[[A]], %[[TWICE]]
// CHECK-NEXT: %[[Y:.+]] = arith.addf %[[B]], %[[TWICE]]
// CHECK-NEXT: scf.yield %[[X]], %[[Y]]
func.func @sums(%n: index, %p: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero, %dead = %zero) -> (f32, f32, f32) {
    %0 = arith.addf %p, %p : f32
    %1 = arith.addf %p, %p : f32
    %2 = arith.addf %a, %0 : f32
    %3 = arith.addf %b, %1 : f32
    scf.yield %2, %3, %1 : f32, f32, f32
  }
  return %s#0, %s#1 : f32, f32
}
