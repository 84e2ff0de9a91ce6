// RUN: weft-opt --weft-store-in-place --split-input-file %s | FileCheck %s

// A residual stream: what a layer makes in between lies in its result, which may be the argument that it adds to. So all
// layers have one buffer, of the most bytes that any had; the entry's result is another one.
!x = memref<?x8xf32>
!h = memref<?x8xbf16>
!w = memref<8x8xbf16>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %[[IN:.*]]: memref<?x8xf32>, %[[W:.*]]: memref<8x8xbf16>, %[[OUT:.*]]: memref<?x8xf32>
// CHECK: %[[X:.*]] = weft.buffer offset -1 bytes 1028 live 0 to 0 {weft.label = "x"}
// CHECK-NEXT: weft.launch @copy ins(%[[IN]] : {{.*}}) outs(%[[X]] :
// CHECK-NEXT: call @layer(%[[X]], %[[W]], %[[X]])
// CHECK-NEXT: call @layer(%[[X]], %[[W]], %[[X]])
// CHECK-NEXT: call @layer(%[[X]], %[[W]], %[[OUT]])
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32> {{.*}}, %[[W:.*]]: memref<8x8xbf16>, %[[Y:.*]]: memref<?x8xf32> {{.*}}) {
// CHECK: weft.launch @add ins(%{{.*}}, %[[W]], %[[X]] : {{.*}}) outs(%[[Y]] :
// CHECK: weft.launch @round ins(%[[Y]] :
// CHECK: weft.launch @add ins(%{{.*}}, %[[W]], %[[Y]] : {{.*}}) outs(%[[Y]] :
func.func @entry(%in: !x, %w: !w, %out: !x) attributes {weft.entry} {
  %x = weft.buffer offset -1 bytes 1024 live 0 to 0 {weft.label = "x"} : !x
  weft.launch @copy ins(%in : !x) outs(%x : !x) sizes ["T"]
  %y = weft.buffer offset -1 bytes 1028 live 0 to 0 {weft.label = "y"} : !x
  call @layer(%x, %w, %y) : (!x, !w, !x) -> ()
  %z = weft.buffer offset -1 bytes 1024 live 0 to 0 {weft.label = "z"} : !x
  call @layer(%y, %w, %z) : (!x, !w, !x) -> ()
  call @layer(%z, %w, %out) : (!x, !w, !x) -> ()
  return
}
func.func private @layer(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %y: !x {weft.bounds = #weft.bounds<T to 32>}) {
  %h = weft.buffer offset -1 bytes 512 live 0 to 0 : !h
  weft.launch @round ins(%x : !x) outs(%h : !h) sizes ["T"]
  %a = weft.buffer offset -1 bytes 1024 live 0 to 0 {weft.label = "a"} : !x
  weft.launch @add ins(%h, %w, %x : !h, !w, !x) outs(%a : !x) sizes ["T"]
  %g = weft.buffer offset -1 bytes 512 live 0 to 0 : !h
  weft.launch @round ins(%a : !x) outs(%g : !h) sizes ["T"]
  weft.launch @add ins(%g, %w, %a : !h, !w, !x) outs(%y : !x) sizes ["T"]
  return
}

// Not: what is read later on (%x), by the kernel in another place (%h twice), at other places (turned), as another type (%h),
// by a map (%c); what has more bytes than the argument (%u); into a buffer that was used before (%p).
// CHECK-LABEL: func.func private @kept(
// CHECK-SAME: %[[Y:.*]]: memref<?x8xf32> {weft.bounds = #weft.bounds<T to 32>}, %[[Z:.*]]: memref<8x8xf32>, {{.*}}, %[[IN:.*]]: memref<?x8xf32>)
// CHECK: weft.launch @copy ins(%[[IN]] : {{.*}}) outs(%[[A:[0-9]+]] :
// CHECK-NEXT: %[[B:.*]] = weft.buffer
// CHECK-NEXT: weft.launch @add ins(%{{.*}}, %{{.*}}, %[[A]] : {{.*}}) outs(%[[B]] :
// CHECK-NEXT: weft.launch @round ins(%[[A]] :
// CHECK-NEXT: %[[C:.*]] = weft.buffer
// CHECK-NEXT: weft.launch @both ins(%[[B]], %{{.*}}, %[[B]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT: %[[D:.*]] = weft.buffer
// CHECK-NEXT: weft.launch @double ins(%[[C]] : {{.*}}) outs(%[[D]] :
// CHECK-NEXT: weft.launch @add ins(%{{.*}}, %{{.*}}, %[[D]] : {{.*}}) outs(%[[Y]] :
// CHECK-NEXT: %[[E:.*]] = weft.buffer
// CHECK-NEXT: %[[F:.*]] = weft.buffer
// CHECK-NEXT: weft.launch @turn ins(%{{.*}}, %{{.*}}, %[[E]] : {{.*}}) outs(%[[F]] :
// CHECK-NEXT: %[[P:.*]] = weft.buffer
// CHECK-NEXT: weft.launch @copy ins(%[[F]] : {{.*}}) outs(%[[P]] :
// CHECK-NEXT: weft.launch @add ins(%{{.*}}, %{{.*}}, %[[F]] : {{.*}}) outs(%[[P]] :
func.func private @kept(%y: !x {weft.bounds = #weft.bounds<T to 32>}, %z: memref<8x8xf32>, %w: !w, %in: !x) {
  %h = weft.buffer offset -1 bytes 512 live 0 to 0 : !h
  %x = weft.buffer offset -1 bytes 1024 live 0 to 0 : !x
  weft.launch @copy ins(%in : !x) outs(%x : !x) sizes ["T"]
  %b = weft.buffer offset -1 bytes 1024 live 0 to 0 : !x
  weft.launch @add ins(%h, %w, %x : !h, !w, !x) outs(%b : !x) sizes ["T"]
  weft.launch @round ins(%x : !x) outs(%h : !h) sizes ["T"]
  %c = weft.buffer offset -1 bytes 1024 live 0 to 0 : !x
  weft.launch @both ins(%b, %z, %b : !x, memref<8x8xf32>, !x) outs(%c : !x) sizes ["T"]
  %u = weft.buffer offset -1 bytes 2048 live 0 to 0 : !x
  weft.launch @double ins(%c : !x) outs(%u : !x) sizes ["T"]
  weft.launch @add ins(%h, %w, %u : !h, !w, !x) outs(%y : !x) sizes ["T"]
  %e = weft.buffer offset -1 bytes 1024 live 0 to 0 : !x
  %f = weft.buffer offset -1 bytes 1024 live 0 to 0 : !x
  weft.launch @turn ins(%h, %w, %e : !h, !w, !x) outs(%f : !x) sizes ["T"]
  %p = weft.buffer offset -1 bytes 1024 live 0 to 0 : !x
  weft.launch @copy ins(%f : !x) outs(%p : !x) sizes ["T"]
  weft.launch @add ins(%h, %w, %f : !h, !w, !x) outs(%p : !x) sizes ["T"]
  return
}

func.func private @add(%x: !h {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %a: !x {weft.bounds = #weft.bounds<T to 32>}, %y: !x {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 8, d in 8] ins(%x[t, d], %w[f, d], %a[t, f] : !h, !w, !x) outs(%y : !x) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @turn(%x: !h {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %a: !x {weft.bounds = #weft.bounds<T to 32>}, %y: !x {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 8, d in 8] ins(%x[t, d], %w[f, d], %a[t, 7 - f] : !h, !w, !x) outs(%y : !x) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @both(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: memref<8x8xf32>, %a: !x {weft.bounds = #weft.bounds<T to 32>}, %y: !x {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 8, d in 8] ins(%x[t, d], %w[f, d], %a[t, f] : !x, memref<8x8xf32>, !x) outs(%y : !x) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @copy(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %y: !x {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.map [t in T to 32, f in 8] ins(%x[t, f] : !x) outs(%y : !x) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func private @double(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %y: !x {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.map [t in T to 32, f in 8] ins(%x[t, f] : !x) outs(%y : !x) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func private @round(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %y: !h {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.map [t in T to 32, f in 8] ins(%x[t, f] : !x) outs(%y : !h) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
}

// -----

// Nor is what a kernel writes that is no argument, or a tensor, or what something else than a step of the function reads.
!y = memref<8x8xf32>
// CHECK-LABEL: func.func private @other(
// CHECK: %[[X:.*]] = weft.buffer offset -1 bytes 256
// CHECK: %[[Y:.*]] = weft.buffer offset -1 bytes 260
// CHECK: weft.launch @own ins(%{{.*}}, %{{.*}}, %[[X]] :
// CHECK: weft.launch @add ins(%{{.*}}, %{{.*}}, %[[X]] : {{.*}}) outs(%[[Y]] :
func.func private @other(%w: !y) {
  %c = arith.constant true
  %x = weft.buffer offset -1 bytes 256 live 0 to 0 : !y
  %y = weft.buffer offset -1 bytes 260 live 0 to 0 : !y
  weft.launch @own ins(%w, %w, %x : !y, !y, !y)
  weft.launch @tensor ins(%w, %w : !y, !y)
  weft.launch @add ins(%w, %w, %x : !y, !y, !y) outs(%y : !y)
  scf.if %c {
    weft.launch @own ins(%w, %w, %x : !y, !y, !y)
  }
  return
}
func.func private @own(%x: !y, %w: !y, %a: !y) attributes {weft.kernel} {
  %y = weft.buffer offset -1 bytes 256 live 0 to 0 : !y
  weft.contract [t in 8, f in 8, d in 8] ins(%x[t, d], %w[f, d], %a[t, f] : !y, !y, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @add(%x: !y, %w: !y, %a: !y, %y: !y) attributes {weft.kernel} {
  weft.contract [t in 8, f in 8, d in 8] ins(%x[t, d], %w[f, d], %a[t, f] : !y, !y, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @tensor(%x: !y, %w: !y) attributes {weft.kernel} {
  %0 = weft.contract [t in 8, f in 8, d in 8] ins(%x[t, d], %w[f, d] : !y, !y) -> tensor<8x8xf32>
  return
}
