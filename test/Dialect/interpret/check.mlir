// RUN: weft-opt %s --weft-interpret -o /dev/null | FileCheck %s

// CHECK-LABEL: holds
// CHECK-NEXT: tensor 2 int [3, 4]
func.func @holds() -> tensor<2xi32> {
  %ids = arith.constant dense<[3, 4]> : tensor<2xi32>
  weft.check "ids out of range" [t in 2] ins(%ids[t] : tensor<2xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 5 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  return %ids : tensor<2xi32>
}

// A negative id is above every bound when it is compared unsigned.
// CHECK-LABEL: fails
// CHECK-NEXT: failed: ids out of range
func.func @fails() -> tensor<2xi32> {
  %ids = arith.constant dense<[3, -1]> : tensor<2xi32>
  weft.check "ids out of range" [t in 2] ins(%ids[t] : tensor<2xi32>) {
  ^bb0(%0: i32):
    %c = arith.constant 5 : i32
    %1 = arith.cmpi ult, %0, %c : i32
    weft.yield %1 : i1
  }
  return %ids : tensor<2xi32>
}
