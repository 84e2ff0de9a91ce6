// RUN: weft-opt %s --weft-derive-weights=least-work=64 | FileCheck %s --enable-var-scope
// RUN: weft-opt %s --weft-derive-weights | FileCheck %s --check-prefix=SMALL

!x = tensor<?x9xf32, #weft.bounds<T to 8>>
!w = tensor<9x9xf32>

// Each call gets a weight of its own; what they are made of is gone, but where it is read otherwise.
// CHECK-LABEL: func.func @model
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x9xf32
// CHECK-NEXT: %[[B:.+]] = weft.weight "1.v" : tensor<9x9xf32>
// CHECK-NEXT: %[[W0:.+]] = weft.weight "derived:0.w" : tensor<9x9xf32>
// CHECK-NEXT: %[[H:.+]] = call @layer(%[[X]], %[[W0]])
// CHECK-NEXT: %[[W1:.+]] = weft.weight "derived:1.w" : tensor<9x9xf32>
// CHECK-NEXT: call @layer(%[[H]], %[[W1]])
// CHECK-NEXT: weft.contract {{.*}}%[[B]]
// SMALL-LABEL: func.func @model
// SMALL-NOT: derived
// SMALL: return
func.func @model(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"}) attributes {weft.entry} {
  %g0 = weft.weight "0.g" : tensor<9xf32>
  %v0 = weft.weight "0.v" : !w
  %g1 = weft.weight "1.g" : tensor<9xf32>
  %v1 = weft.weight "1.v" : !w
  %h = call @layer(%x, %g0, %v0) : (!x, tensor<9xf32>, !w) -> !x
  %y = call @layer(%h, %g1, %v1) : (!x, tensor<9xf32>, !w) -> !x
  %z = weft.contract [t in T to 8, o in 9, i in 9] ins(%y[t, i], %v1[o, i] : !x, !w) -> !x
  return %z : !x
}

// CHECK: func.func private @layer(%[[X:[^:]*]]: tensor<?x9xf32{{.*}}, %[[W:[^:]*]]: tensor<9x9xf32> {weft.name = "w"})
// CHECK-NEXT: weft.contract {{.*}}ins(%[[X]][t, i], %[[W]][o, i]
// CHECK-NEXT: return
// SMALL: func.func private @layer(
// SMALL-NEXT: weft.map
func.func private @layer(%x: !x, %g: tensor<9xf32>, %v: !w) -> !x {
  %w = weft.map [o in 9, i in 9] ins(%g[o], %v[o, i] : tensor<9xf32>, !w) attributes {weft.label = "w"} {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.mulf %a, %b : f32
    weft.yield %0 : f32
  } -> !w
  %y = weft.contract [t in T to 8, o in 9, i in 9] ins(%x[t, i], %w[o, i] : !x, !w) -> !x
  return %y : !x
}

// What depends on an input or on a run-time size is computed in every call. A call of the same function for weights only is a
// weight; so is what another entry computes in the same way.
// CHECK-LABEL: func.func @inputs
// CHECK-SAME: (%[[M:[^:]*]]: tensor<9x9xf32>
// CHECK: %[[S:.+]] = call @scaled(%{{.*}}, %[[M]])
// CHECK-NEXT: %[[W:.+]] = weft.weight "derived:0.w#2"
// CHECK-NEXT: weft.map [t in T to 8
// CHECK: weft.contract {{.*}}%[[S]][o, i]
// CHECK-NEXT: weft.contract {{.*}}%[[W]][o, i]
// CHECK-NEXT: weft.weight "derived:0.w" :
// CHECK-NEXT: call @layer
func.func @inputs(%m: !w {weft.name = "m"}, %x: !x {weft.name = "x"}) -> (!x {weft.name = "y"}) attributes {weft.entry} {
  %g0 = weft.weight "0.g" : tensor<9xf32>
  %v0 = weft.weight "0.v" : !w
  %0 = call @scaled(%g0, %m) : (tensor<9xf32>, !w) -> !w
  %1 = call @scaled(%g0, %v0) : (tensor<9xf32>, !w) -> !w
  %p = weft.map [t in T to 8, i in 9] ins(%v0[t, i] : !w) {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    weft.yield %e : f32
  } -> !x
  %h = weft.contract [t in T to 8, o in 9, i in 9] ins(%p[t, i], %0[o, i] : !x, !w) -> !x
  %y = weft.contract [t in T to 8, o in 9, i in 9] ins(%h[t, i], %1[o, i] : !x, !w) -> !x
  %z = call @layer(%y, %g0, %v0) : (!x, tensor<9xf32>, !w) -> !x
  return %z : !x
}
// CHECK: func.func private @scaled
// CHECK: math.exp
func.func private @scaled(%g: tensor<9xf32>, %v: !w) -> !w {
  %w = weft.map [o in 9, i in 9] ins(%g[o], %v[o, i] : tensor<9xf32>, !w) attributes {weft.label = "w"} {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32
    %1 = arith.mulf %0, %b : f32
    weft.yield %1 : f32
  } -> !w
  return %w : !w
}

// A function all of whose calls are for weights is a part of what they compute; another one of the same name is another weight.
// CHECK-LABEL: func.func @calls
// CHECK-NEXT: %[[W:.+]] = weft.weight "derived:0.w#3"
// CHECK-NEXT: weft.contract {{.*}}%[[W]]
// CHECK-NEXT: return
func.func @calls(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"}) attributes {weft.entry} {
  %g0 = weft.weight "0.g" : tensor<9xf32>
  %v0 = weft.weight "0.v" : !w
  %0 = call @twice(%g0, %v0) : (tensor<9xf32>, !w) -> !w
  %y = weft.contract [t in T to 8, o in 9, i in 9] ins(%x[t, i], %0[o, i] : !x, !w) -> !x
  return %y : !x
}
// CHECK-NOT: @twice
func.func private @twice(%g: tensor<9xf32>, %v: !w) -> !w {
  %0 = call @other(%g, %v) : (tensor<9xf32>, !w) -> !w
  %1 = call @other(%g, %0) : (tensor<9xf32>, !w) -> !w
  return %1 : !w
}
func.func private @other(%g: tensor<9xf32>, %v: !w) -> !w {
  %w = weft.map [o in 9, i in 9] ins(%g[o], %v[o, i] : tensor<9xf32>, !w) attributes {weft.label = "w"} {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.subf %a, %b : f32
    weft.yield %0 : f32
  } -> !w
  return %w : !w
}

// A check of what the tensor reads goes with it, one of something else stays. What is read itself, and by another such tensor, is
// two weights of the checkpoint's.
// CHECK-LABEL: func.func @checked
// CHECK-NEXT: %[[I:.+]] = weft.weight "c.i"
// CHECK-NEXT: weft.check "stays" [o in 9] ins(%[[I]]
// CHECK: weft.weight "derived:c.rows"
// CHECK: weft.weight "derived:c.twice"
// CHECK-NOT: weft.check "goes"
// CHECK: return
func.func @checked(%x: !x {weft.name = "x"}) -> (!x {weft.name = "y"}) attributes {weft.entry} {
  %v = weft.weight "c.v" : !w
  %i = weft.weight "c.i" : tensor<9xi32>
  %j = weft.weight "c.j" : tensor<9xi32>
  weft.check "goes" [o in 9] ins(%j[o] : tensor<9xi32>) {
  ^bb0(%a: i32):
    %c9 = arith.constant 9 : i32
    %0 = arith.cmpi ult, %a, %c9 : i32
    weft.yield %0 : i1
  }
  weft.check "stays" [o in 9] ins(%i[o] : tensor<9xi32>) {
  ^bb0(%a: i32):
    %c9 = arith.constant 9 : i32
    %0 = arith.cmpi ult, %a, %c9 : i32
    weft.yield %0 : i1
  }
  %rows = weft.map [o in 9, i in 9] ins(%j[o] : tensor<9xi32>) attributes {weft.label = "rows"} {
  ^bb0(%a: i32):
    %0 = arith.index_cast %a : i32 to index
    %1 = weft.index 1
    %2 = weft.at %v[%0, %1] : !w
    weft.yield %2 : f32
  } -> !w
  %twice = weft.map [o in 9, i in 9] ins(%rows[o, i] : !w) attributes {weft.label = "twice"} {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    weft.yield %0 : f32
  } -> !w
  %h = weft.contract [t in T to 8, o in 9, i in 9] ins(%x[t, i], %rows[o, i] : !x, !w) -> !x
  %y = weft.contract [t in T to 8, o in 9, i in 9] ins(%h[t, i], %twice[o, i] : !x, !w) -> !x
  return %y : !x
}

// An element that is read for all of a row is made where it is read: only what has each element once is a part.
// CHECK-LABEL: func.func @same
// CHECK: %[[W:.+]] = weft.weight "s.w"
// CHECK: weft.map [i in 5] ins(%[[W]][4, 2]
// CHECK: %[[P:.+]] = weft.weight "derived:s.part" : tensor<9xf32>
// CHECK: return
func.func @same() -> (tensor<5xf32> {weft.name = "y"}, tensor<9xf32> {weft.name = "part"}) attributes {weft.entry} {
  %w = weft.weight "s.w" : !w
  %y = weft.map [i in 5] ins(%w[4, 2] : !w) attributes {weft.label = "same"} {
  ^bb0(%a: f32):
    weft.yield %a : f32
  } -> tensor<5xf32>
  %p = weft.map [i in 9] ins(%w[4, i] : !w) attributes {weft.label = "part"} {
  ^bb0(%a: f32):
    weft.yield %a : f32
  } -> tensor<9xf32>
  return %y, %p : tensor<5xf32>, tensor<9xf32>
}

// CHECK-LABEL: module @derived_weights
// CHECK: func.func @w(%[[G:[^:]*]]: tensor<9xf32> {weft.name = "w0"}, %[[V:[^:]*]]: tensor<9x9xf32> {weft.name = "w1"})
// CHECK-SAME: -> (tensor<9x9xf32> {weft.name = "weight"}) attributes
// CHECK-SAME: weft.derives = {{\[}}["derived:1.w", "1.g", "1.v"], ["derived:0.w", "0.g", "0.v"]]
// CHECK-NEXT: weft.map {{.*}}ins(%[[G]][o], %[[V]][o, i]
// CHECK: return
// CHECK: func.func @w_2(
// CHECK-SAME: weft.derives = {{\[}}["derived:0.w#2", "0.g", "0.v"]]
// CHECK: math.exp
// CHECK: func.func @w_3(
// CHECK-SAME: weft.derives = {{\[}}["derived:0.w#3", "0.g", "0.v"]]
// CHECK: weft.map
// CHECK: weft.map
// CHECK: return
// CHECK: func.func @{{twice|rows}}(
// CHECK: weft.check "goes"
// CHECK: func.func @{{twice|rows}}(
// CHECK: weft.check "goes"
