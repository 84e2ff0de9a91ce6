// RUN: weft-opt %s --split-input-file --verify-diagnostics --weft-verify-kernels

func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.kernel} {
  weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}
func.func private @layer(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.scratch = 64 : i64} {
  %a = weft.buffer offset 0 bytes 16 live 0 to 1 : memref<4xf32>
  weft.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  weft.launch @k ins(%a : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
// Memory is used again when its buffer is dead.
func.func @good(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.scratch = 192 : i64} {
  %w = weft.weight "w" {offset = 64 : i64} : memref<4xf32>
  %a = weft.buffer offset 0 bytes 16 live 0 to 1 : memref<4xf32>
  %b = weft.buffer offset 64 bytes 16 live 1 to 2 : memref<4xf32>
  %c = weft.buffer offset 0 bytes 16 live 2 to 3 : memref<4xf32>
  weft.launch @k ins(%w : memref<4xf32>) outs(%a : memref<4xf32>)
  call @layer(%a, %b) {weft.arena = 128 : i64} : (memref<4xf32>, memref<4xf32>) -> ()
  weft.launch @k ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  weft.launch @k ins(%c : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @overlap(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.scratch = 128 : i64} {
  // expected-note @+1 {{the other one is here}}
  %a = weft.buffer offset 0 bytes 16 live 0 to 1 : memref<4xf32>
  // expected-error @+1 {{shares bytes with memory that is live at the same time}}
  %b = weft.buffer offset 8 bytes 16 live 1 to 2 : memref<4xf32>
  return
}

// -----

func.func private @layer(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.scratch = 64 : i64} {
  return
}
func.func @overlapping_layer(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.scratch = 128 : i64} {
  // expected-note @+1 {{the other one is here}}
  %a = weft.buffer offset 64 bytes 16 live 0 to 1 : memref<4xf32>
  // expected-error @+1 {{shares bytes with memory that is live at the same time}}
  call @layer(%x, %a) {weft.arena = 64 : i64} : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @unplanned(%x: memref<4xf32>) attributes {weft.scratch = 128 : i64} {
  // expected-error @+1 {{has no place in the arena}}
  %a = weft.buffer offset -1 bytes 16 live 0 to 1 : memref<4xf32>
  return
}

// -----

func.func @outside(%x: memref<4xf32>) attributes {weft.scratch = 64 : i64} {
  // expected-error @+1 {{lies at byte 64 with 16 bytes, in an arena of 64 bytes}}
  %a = weft.buffer offset 64 bytes 16 live 0 to 1 : memref<4xf32>
  return
}

// -----

func.func private @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.scratch = 0 : i64} {
  return
}
func.func @dead(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.scratch = 64 : i64} {
  // expected-error @+1 {{is live from call 0 to 0 but used by call 1}}
  %a = weft.buffer offset 0 bytes 16 live 0 to 0 : memref<4xf32>
  call @k(%x, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @k(%a, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 4, S to 4>} {
func.func private @k(%y: memref<?xf32> {weft.bounds = #weft.bounds<T to 4>}) attributes {weft.kernel} {
  weft.map [i in T to 4] outs(%y : memref<?xf32>) {
    %0 = arith.constant 1.0 : f32
    weft.yield %0 : f32
  }
  return
}
func.func @sizes(%y: memref<?xf32> {weft.bounds = #weft.bounds<T to 4>}) attributes {weft.scratch = 0 : i64} {
  weft.launch @k outs(%y : memref<?xf32>) sizes ["T"]
  // expected-error @+1 {{launches kernel 'k' with the sizes ["S"], it needs ["T"]}}
  weft.launch @k outs(%y : memref<?xf32>) sizes ["S"]
  return
}
}

// -----

// expected-error @+1 {{'no_arena' does not know the bytes of its arena ('weft.scratch')}}
func.func @no_arena(%x: memref<4xf32>) {
  return
}

// -----

func.func @weight() attributes {weft.scratch = 0 : i64} {
  // expected-error @+1 {{weight 'w' has no place in the weights file}}
  %w = weft.weight "w" : memref<4xf32>
  return
}

// -----

func.func @formula(%x: memref<4xf32>) attributes {weft.scratch = 0 : i64} {
  // expected-error @+1 {{is a formula outside of a kernel: it was not outlined}}
  weft.map [i in 4] outs(%x : memref<4xf32>) {
    %0 = arith.constant 1.0 : f32
    weft.yield %0 : f32
  }
  return
}

// -----

// expected-error @+1 {{kernel 'empty' has no anchor}}
func.func private @empty(%x: memref<4xf32>) attributes {weft.kernel} {
  return
}

// -----

// Formulas of one kernel are computed in any order.
func.func private @ordered(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {weft.kernel} {
  weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  // expected-error @+1 {{reads what another formula of its kernel writes}}
  weft.map [i in 4] ins(%y[i] : memref<4xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @twice(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.kernel} {
  weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  // expected-error @+1 {{writes what another formula of its kernel writes}}
  weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @checked(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.kernel} {
  weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  // expected-error @+1 {{is no formula, but one of several anchors of its kernel}}
  weft.check "x is negative" [i in 4] ins(%x[i] : memref<4xf32>) {
  ^bb0(%0: f32):
    %c = arith.constant 0.0 : f32
    %1 = arith.cmpf oge, %0, %c : f32
    weft.yield %1 : i1
  }
  return
}

// -----

func.func @no_size(%x: memref<4xf32>) attributes {weft.scratch = 64 : i64} {
  // expected-error @+1 {{has no size or no lifetime}}
  %a = weft.buffer offset 0 bytes -1 live 0 to 1 : memref<4xf32>
  return
}

// -----

func.func @no_lifetime(%x: memref<4xf32>) attributes {weft.scratch = 64 : i64} {
  // expected-error @+1 {{has no size or no lifetime}}
  %a = weft.buffer offset 0 bytes 16 live 2 to 1 : memref<4xf32>
  return
}

// -----

// The end of a buffer is not computed with an overflow.
func.func @far_outside(%x: memref<4xf32>) attributes {weft.scratch = 64 : i64} {
  // expected-error @+1 {{lies at byte 9223372036854775807 with 16 bytes, in an arena of 64 bytes}}
  %a = weft.buffer offset 9223372036854775807 bytes 16 live 0 to 1 : memref<4xf32>
  return
}

// -----

// expected-error @+1 {{argument 1 of 'number' is no buffer}}
func.func @number(%x: memref<4xf32>, %n: index) attributes {weft.scratch = 0 : i64} {
  return
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8>} {
  // expected-error @+1 {{argument 0 of 'unnamed' has 1 run-time sizes and no 'weft.bounds'}}
  func.func @unnamed(%x: memref<?xf32>) attributes {weft.scratch = 0 : i64} {
    return
  }
}

// -----

// expected-error @+1 {{the default of argument 0 has no place in the arena}}
func.func @default(%x: memref<4xf32> {weft.default = 0.0 : f32}) attributes {weft.scratch = 64 : i64} {
  return
}

// -----

// expected-error @+1 {{the default of argument 0 lies at byte 64 with 16 bytes, in an arena of 64 bytes}}
func.func @default(%x: memref<4xf32> {weft.default = 0.0 : f32, weft.default_offset = 64 : i64}) attributes {weft.scratch = 64 : i64} {
  return
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8, N to 8>} {
  func.func @y() attributes {weft.entry, weft.scratch = 0 : i64} {
    return
  }
  // expected-error @+1 {{'unsized' does not know the bytes of its state ('weft.state_bytes')}}
  func.func @unsized(%k: memref<4xf32> {weft.name = "k", weft.state, weft.state_offset = 64 : i64})
      attributes {weft.entry, weft.scratch = 0 : i64, weft.step = #weft.step<@y, length = "T", count = "N">} {
    return
  }
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8, N to 8>} {
  func.func @y() attributes {weft.entry, weft.scratch = 0 : i64} {
    return
  }
  // expected-error @+1 {{argument 0 of 'nowhere' has no place in the state ('weft.state_offset')}}
  func.func @nowhere(%k: memref<4xf32> {weft.name = "k", weft.state})
      attributes {weft.entry, weft.scratch = 0 : i64, weft.state_bytes = 128, weft.step = #weft.step<@y, length = "T", count = "N">} {
    return
  }
}

// -----

func.func private @tensors(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.kernel} {
  // expected-error @+1 {{a kernel works on buffers, not on tensors}}
  %0 = weft.map [i in 4] ins(%x[i] : memref<4xf32>) {
  ^bb0(%1: f32):
    weft.yield %1 : f32
  } -> tensor<4xf32>
  return
}

// -----

// A weight that several functions read stands in each, in the view that it is read in.
func.func @weights() attributes {weft.scratch = 0 : i64} {
  %a = weft.weight "a" {offset = 64 : i64} : memref<32xf32>
  // expected-error @+1 {{weight 'b' lies at byte 128 of the weights file, expected 192}}
  %b = weft.weight "b" {offset = 128 : i64} : memref<32xf32>
  return
}
func.func @again() attributes {weft.scratch = 0 : i64} {
  %a = weft.weight "a" {offset = 64 : i64} : memref<4x8xf32>
  return
}

// -----

func.func @header() attributes {weft.scratch = 0 : i64} {
  // expected-error @+1 {{weight 'a' lies at byte 0 of the weights file, expected 64}}
  %a = weft.weight "a" {offset = 0 : i64} : memref<32xf32>
  return
}

// -----

// The file has no holes.
func.func @hole() attributes {weft.scratch = 0 : i64} {
  // expected-error @+1 {{weight 'a' lies at byte 4294967296 of the weights file, expected 64}}
  %a = weft.weight "a" {offset = 4294967296 : i64} : memref<32xf32>
  return
}

// -----

// A product adds to what lies where it stores, and a layer that ends so may be passed one buffer; a layer that reads its
// argument later on may not.
func.func @add() attributes {weft.entry, weft.scratch = 512 : i64} {
  %x = weft.buffer offset 0 bytes 256 live 0 to 3 : memref<8x8xf32>
  %w = weft.buffer offset 256 bytes 256 live 0 to 3 : memref<8x8xf32>
  weft.launch @add.contract ins(%w, %w, %x : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  call @layer(%x, %w, %x) {weft.arena = 0 : i64} : (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) -> ()
  // expected-error @+1 {{writes operand 2, which is operand 0, too: only what a product's epilogue reads where it stores may be its result}}
  call @later(%x, %w, %x) {weft.arena = 0 : i64} : (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) -> ()
  return
}
func.func private @layer(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>) attributes {weft.scratch = 0 : i64} {
  weft.launch @add.contract ins(%w, %w, %x : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  return
}
func.func private @later(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %y: memref<8x8xf32>) attributes {weft.scratch = 0 : i64} {
  weft.launch @add.contract ins(%w, %w, %x : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  weft.launch @add.contract ins(%w, %x, %y : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  return
}
func.func private @add.contract(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %a: memref<8x8xf32>, %y: memref<8x8xf32>) attributes {weft.kernel} {
  weft.contract [t in 8, f in 8, d in 8] ins(%x[t, d], %w[f, d], %a[t, f] : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

func.func @factor() attributes {weft.entry, weft.scratch = 512 : i64} {
  %x = weft.buffer offset 0 bytes 256 live 0 to 0 : memref<8x8xf32>
  %w = weft.buffer offset 256 bytes 256 live 0 to 0 : memref<8x8xf32>
  // expected-error @+1 {{writes operand 3, which is operand 0, too}}
  weft.launch @add.contract ins(%x, %w, %w : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  return
}
func.func private @add.contract(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %a: memref<8x8xf32>, %y: memref<8x8xf32>) attributes {weft.kernel} {
  weft.contract [t in 8, f in 8, d in 8] ins(%x[t, d], %w[f, d], %a[t, f] : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

// A map might read elements after others are written.
func.func @map() attributes {weft.entry, weft.scratch = 64 : i64} {
  %x = weft.buffer offset 0 bytes 32 live 0 to 0 : memref<8xf32>
  // expected-error @+1 {{writes operand 1, which is operand 0, too}}
  weft.launch @turn.map ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  return
}
func.func private @turn.map(%x: memref<8xf32>, %y: memref<8xf32>) attributes {weft.kernel} {
  weft.map [i in 8] ins(%x[7 - i] : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

!x = memref<4x8xf32>
!w = memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<4x32xf32>
func.func @caller(%x: !x, %w: !w, %y: !y) {
  // expected-error @+1 {{is local to no kernel}}
  %g = weft.local : !y
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y)
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

// What is local is no order that would be open: the one is made for the other.
!x = memref<4x8xf32>
!w = memref<32x8xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<4x32xf32>
func.func private @chained(%x: !x, %w: !w, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y)
  weft.contract [t in 4, f in 32, d in 8] ins(%x[t, d], %w[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
