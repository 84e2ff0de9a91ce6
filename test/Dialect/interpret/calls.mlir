// RUN: weft-opt %s '--weft-interpret=labels' -o /dev/null | FileCheck %s
// The symbol of the callee's argument is known from the module; weights come from outside.
module attributes {test.symbols = {T = 2 : i64}, test.weights = {a.b = dense<[10.0, 20.0]> : tensor<2xf32>}} {
  func.func private @add(%x: tensor<?xf32, #weft.bounds<T to 4>>, %w: tensor<2xf32>) -> tensor<?xf32, #weft.bounds<T to 4>> {
    %y = weft.map [t in T to 4] ins(%x[t] : tensor<?xf32, #weft.bounds<T to 4>>) attributes {weft.label = "sum"} {
    ^bb0(%0: f32):
      %t = weft.index 0
      %1 = weft.at %w[%t] : tensor<2xf32>
      %2 = arith.addf %0, %1 : f32
      weft.yield %2 : f32
    } -> tensor<?xf32, #weft.bounds<T to 4>>
    return %y : tensor<?xf32, #weft.bounds<T to 4>>
  }
  // CHECK-LABEL: main
  // CHECK-NEXT: x = tensor 2 real [2, 2]
  // CHECK-NEXT: sum = tensor 2 real [12, 22]
  // CHECK-NEXT: sum = tensor 2 real [22, 42]
  // CHECK-NEXT: tensor 2 real [22, 42]
  func.func @main() -> tensor<?xf32, #weft.bounds<T to 4>> {
    %w = weft.weight "a.b" : tensor<2xf32>
    %x = weft.map [t in T to 4] attributes {weft.label = "x"} {
      %n = weft.size "T" : index
      %0 = arith.index_cast %n : index to i32
      %1 = arith.sitofp %0 : i32 to f32
      weft.yield %1 : f32
    } -> tensor<?xf32, #weft.bounds<T to 4>>
    %y = call @add(%x, %w) : (tensor<?xf32, #weft.bounds<T to 4>>, tensor<2xf32>) -> tensor<?xf32, #weft.bounds<T to 4>>
    %z = call @add(%y, %w) : (tensor<?xf32, #weft.bounds<T to 4>>, tensor<2xf32>) -> tensor<?xf32, #weft.bounds<T to 4>>
    return %z : tensor<?xf32, #weft.bounds<T to 4>>
  }
}
