// RUN: weft-opt --weft-chain-products --split-input-file %s | FileCheck %s

// Gate and up of one input are one kernel, past what lies between; layers share it. What is local takes no buffer, and
// kernels that nothing launches are gone.
!x = memref<?x8xbf16>
!g = memref<?x64xf32>
!y = memref<?x64xbf16>
!w = memref<64x8xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %[[X:.*]]: memref<?x8xbf16>, %[[A:.*]]: memref<64x8xbf16, {{.*}}>, %[[B:[a-z0-9]+]]: memref<64x8xbf16, {{.*}}>, %[[Y:.*]]: memref<?x64xbf16>, %[[Z:.*]]: memref<?x64xf32>)
// CHECK-NEXT: weft.launch @gate ins(%[[X]], %[[A]] : {{.*}}) outs(%[[Z]] :
// CHECK-NEXT: weft.launch @gate.in.up ins(%[[X]], %[[A]], %[[B]] : {{.*}}) outs(%[[Y]] : memref<?x64xbf16>) sizes ["T"]
// CHECK-NEXT: weft.launch @gate.in.up ins(%[[X]], %[[B]], %[[A]] : {{.*}}) outs(%[[Y]] :
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @gate.in.up(
// CHECK-SAME: %[[X:.*]]: memref<?x8xbf16> {weft.bounds = #weft.bounds<T to 32>}, %[[A:[a-z0-9]+]]: memref<64x8xbf16, {{.*}}>, %[[B:[a-z0-9]+]]: memref<64x8xbf16, {{.*}}>, %[[Y:.*]]: memref<?x64xbf16> {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel}
// CHECK-NEXT: %[[G:.*]] = weft.local : memref<?x64xf32>
// CHECK-NEXT: weft.contract [t in T to 32, f in F = 64, d in D = 8] ins(%[[X]][t, d], %[[A]][f, d] : {{.*}}) outs(%[[G]] :
// CHECK-NEXT: weft.contract [i in T to 32, j in J = 64, l in 8] ins(%[[X]][i, l], %[[B]][j, l], %[[G]][i, j] : {{.*}}) outs(%[[Y]] :
// CHECK: func.func private @gate(
// CHECK-NOT: func.func private @up(
func.func @entry(%x: !x, %a: !w, %b: !w, %y: !y, %z: !g) attributes {weft.entry} {
  %g = weft.buffer offset -1 bytes 8192 live 0 to 0 : !g
  weft.launch @gate ins(%x, %a : !x, !w) outs(%g : !g) sizes ["T"]
  weft.launch @gate ins(%x, %a : !x, !w) outs(%z : !g) sizes ["T"]
  weft.launch @up ins(%x, %b, %g : !x, !w, !g) outs(%y : !y) sizes ["T"]
  %h = weft.buffer offset -1 bytes 8192 live 0 to 0 : !g
  weft.launch @gate ins(%x, %b : !x, !w) outs(%h : !g) sizes ["T"]
  weft.launch @up ins(%x, %a, %h : !x, !w, !g) outs(%y : !y) sizes ["T"]
  return
}
func.func private @gate(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %y: !g {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in F = 64, d in D = 8] ins(%x[t, d], %w[f, d] : !x, !w) outs(%y : !g)
  return
}
func.func private @up(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %g: !g {weft.bounds = #weft.bounds<T to 32>}, %y: !y {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [i in T to 32, j in J = 64, l in 8] ins(%x[i, l], %w[j, l], %g[i, j] : !x, !w, !g) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
}

// -----

// Three products: two make for the third; heads may be columns of two indices, stored first.
!x = memref<?x8xf32>
!y = memref<2x?x32xf32>
!w = memref<2x32x8xf32, #weft.layout<n = [0, 1], k = [2], tile = [32, 1]>>
#y = affine_map<(h, t, c, d) -> (h, t, c)>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
// CHECK-LABEL: func.func @three(
// CHECK-NEXT: weft.launch @two.in.one.in.both ins(
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @two.in.one.in.both(
// CHECK: weft.contract {{.*}} outs(%[[B:[0-9]+]] :
// CHECK: math.exp
// CHECK: weft.contract {{.*}} outs(%[[A:[0-9]+]] :
// CHECK: weft.contract {{.*}} ins(%{{.*}}[t, d], %{{.*}}[h, c, d], %[[A]][h, t, c], %[[B]][h, t, c] :
func.func @three(%x: !x, %w: !w, %y: !y) attributes {weft.entry} {
  %a = weft.buffer offset -1 bytes 8192 live 0 to 0 : !y
  weft.launch @one ins(%x, %w : !x, !w) outs(%a : !y) sizes ["T"]
  %b = weft.buffer offset -1 bytes 8192 live 0 to 0 : !y
  weft.launch @two ins(%x, %w : !x, !w) outs(%b : !y) sizes ["T"]
  weft.launch @both ins(%x, %w, %a, %b : !x, !w, !y, !y) outs(%y : !y) sizes ["T"]
  return
}
func.func private @one(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %y: !y {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [h in 2, t in T to 32, c in 32, d in 8] ins(%x[t, d], %w[h, c, d] : !x, !w) outs(%y : !y)
  return
}
func.func private @two(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %y: !y {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [h in 2, t in T to 32, c in 32, d in 8] ins(%x[t, d], %w[h, c, d] : !x, !w) outs(%y : !y) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    weft.yield %1 : f32
  }
  return
}
func.func private @both(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %a: !y {weft.bounds = #weft.bounds<T to 32>}, %b: !y {weft.bounds = #weft.bounds<T to 32>}, %y: !y {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [h in 2, t in T to 32, c in 32, d in 8] ins(%x[t, d], %w[h, c, d], %a[h, t, c], %b[h, t, c] : !x, !w, !y, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.mulf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    weft.yield %4 : f32
  }
  return
}
}

// -----

// Must not fire: what another step reads (%a); of other rows (%b); read at other places (%c, turned); as a factor (%d); twice
// (%e); of a weight of another type (%f), or of no panels (%g); an argument (%out); where the rows are written in between (%h); a fourth
// product; a map.
!x = memref<64x64xf32>
!w = memref<64x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!v = memref<64x64xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
module {
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-8: weft.launch @one ins(
// CHECK-NOT: weft.local
// CHECK: return
func.func @kept(%x: !x, %z: !x, %w: !w, %v: !v, %u: !x, %out: !x) attributes {weft.entry} {
  %a = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @one ins(%x, %w : !x, !w) outs(%a : !x)
  weft.launch @next ins(%x, %w, %a : !x, !w, !x) outs(%out : !x)
  weft.launch @double ins(%a : !x) outs(%out : !x)
  %b = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @one ins(%x, %w : !x, !w) outs(%b : !x)
  weft.launch @next ins(%z, %w, %b : !x, !w, !x) outs(%out : !x)
  %c = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @one ins(%x, %w : !x, !w) outs(%c : !x)
  weft.launch @turned ins(%x, %w, %c : !x, !w, !x) outs(%out : !x)
  %d = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @one ins(%x, %w : !x, !w) outs(%d : !x)
  weft.launch @next ins(%d, %w, %x : !x, !w, !x) outs(%out : !x)
  %e = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @one ins(%x, %w : !x, !w) outs(%e : !x)
  weft.launch @next ins(%e, %w, %e : !x, !w, !x) outs(%out : !x)
  %f = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @one ins(%x, %w : !x, !w) outs(%f : !x)
  weft.launch @half ins(%x, %v, %f : !x, !v, !x) outs(%out : !x)
  weft.launch @one ins(%x, %w : !x, !w) outs(%out : !x)
  weft.launch @next ins(%x, %w, %out : !x, !w, !x) outs(%u : !x)
  %h = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @one ins(%x, %w : !x, !w) outs(%h : !x)
  weft.launch @double ins(%u : !x) outs(%x : !x)
  weft.launch @next ins(%x, %w, %h : !x, !w, !x) outs(%out : !x)
  %g = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @plain ins(%x, %u : !x, !x) outs(%g : !x)
  weft.launch @next ins(%x, %w, %g : !x, !w, !x) outs(%out : !x)
  %i = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @double ins(%x : !x) outs(%i : !x)
  weft.launch @next ins(%x, %w, %i : !x, !w, !x) outs(%out : !x)
  return
}
// CHECK-LABEL: func.func @four(
// CHECK-NEXT: %[[A:.*]] = weft.buffer
// CHECK-NEXT: weft.launch @one ins({{.*}}) outs(%[[A]] :
// CHECK-NEXT: weft.launch @next.in.next.in.next ins({{.*}}%[[A]]
// CHECK-NEXT: return
func.func @four(%x: !x, %w: !w, %out: !x) attributes {weft.entry} {
  %a = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @one ins(%x, %w : !x, !w) outs(%a : !x)
  %b = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @next ins(%x, %w, %a : !x, !w, !x) outs(%b : !x)
  %c = weft.buffer offset -1 bytes 16384 live 0 to 0 : !x
  weft.launch @next ins(%x, %w, %b : !x, !w, !x) outs(%c : !x)
  weft.launch @next ins(%x, %w, %c : !x, !w, !x) outs(%out : !x)
  return
}
func.func private @one(%x: !x, %w: !w, %y: !x) attributes {weft.kernel} {
  weft.contract [t in 64, f in 64, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%y : !x)
  return
}
func.func private @plain(%x: !x, %w: !x, %y: !x) attributes {weft.kernel} {
  weft.contract [t in 64, f in 64, d in 64] ins(%x[t, d], %w[f, d] : !x, !x) outs(%y : !x)
  return
}
func.func private @next(%x: !x, %w: !w, %g: !x, %y: !x) attributes {weft.kernel} {
  weft.contract [t in 64, f in 64, d in 64] ins(%x[t, d], %w[f, d], %g[t, f] : !x, !w, !x) outs(%y : !x) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @half(%x: !x, %w: !v, %g: !x, %y: !x) attributes {weft.kernel} {
  weft.contract [t in 64, f in 64, d in 64] ins(%x[t, d], %w[f, d], %g[t, f] : !x, !v, !x) outs(%y : !x) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @turned(%x: !x, %w: !w, %g: !x, %y: !x) attributes {weft.kernel} {
  weft.contract [t in 64, f in 64, d in 64] ins(%x[t, d], %w[f, d], %g[f, t] : !x, !w, !x) outs(%y : !x) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
func.func private @double(%x: !x, %y: !x) attributes {weft.kernel} {
  weft.map [t in 64, f in 64] ins(%x[t, f] : !x) outs(%y : !x) {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    weft.yield %1 : f32
  }
  return
}
}

// -----

// Of matrices that data choose, if they choose the same ones for both.
!x = memref<?x8xbf16>
!c = memref<?xi32>
!g = memref<?x64xf32>
!y = memref<?x64xbf16>
!w = memref<4x64x8xbf16, #weft.layout<batch = [0], n = [1], k = [2], tile = [32, 2]>>
module attributes {weft.symbols = #weft.bounds<T to 32>} {
// CHECK-LABEL: func.func @chosen(
// CHECK-SAME: %[[X:.*]]: memref<?x8xbf16>, %[[C:.*]]: memref<?xi32>, %[[D:.*]]: memref<?xi32>, %[[W:[a-z0-9]+]]: memref<4x64x8xbf16, {{.*}}>, %[[Y:.*]]: memref<?x64xbf16>)
// CHECK-NEXT: weft.launch @gate.in.up ins(%[[X]], %[[W]], %[[C]] : {{.*}}) outs(%[[Y]] :
// CHECK-NEXT: %[[H:.*]] = weft.buffer
// CHECK-NEXT: weft.launch @gate ins(%[[X]], %[[W]], %[[D]] : {{.*}}) outs(%[[H]] :
// CHECK-NEXT: weft.launch @up ins(%[[X]], %[[W]], %[[C]], %[[H]] : {{.*}}) outs(%[[Y]] :
// CHECK-NEXT: return
func.func @chosen(%x: !x, %c: !c, %other: !c, %w: !w, %y: !y) attributes {weft.entry} {
  %g = weft.buffer offset -1 bytes 8192 live 0 to 0 : !g
  weft.launch @gate ins(%x, %w, %c : !x, !w, !c) outs(%g : !g) sizes ["T"]
  weft.launch @up ins(%x, %w, %c, %g : !x, !w, !c, !g) outs(%y : !y) sizes ["T"]
  %h = weft.buffer offset -1 bytes 8192 live 0 to 0 : !g
  weft.launch @gate ins(%x, %w, %other : !x, !w, !c) outs(%h : !g) sizes ["T"]
  weft.launch @up ins(%x, %w, %c, %h : !x, !w, !c, !g) outs(%y : !y) sizes ["T"]
  return
}
func.func private @gate(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %c: !c {weft.bounds = #weft.bounds<T to 32>}, %y: !g {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 64, d in 8, e in 4] ins(%x[t, d], %w[e, f, d], %c[t] : !x, !w, !c) outs(%y : !g) attributes {chosen}
  return
}
func.func private @up(%x: !x {weft.bounds = #weft.bounds<T to 32>}, %w: !w, %c: !c {weft.bounds = #weft.bounds<T to 32>}, %g: !g {weft.bounds = #weft.bounds<T to 32>}, %y: !y {weft.bounds = #weft.bounds<T to 32>}) attributes {weft.kernel} {
  weft.contract [t in T to 32, f in 64, d in 8, e in 4] ins(%x[t, d], %w[e, f, d], %c[t], %g[t, f] : !x, !w, !c, !g) outs(%y : !y) attributes {chosen} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
}
