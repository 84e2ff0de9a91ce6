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
  call @k(%x, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @k(%a, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
// Memory is used again when its buffer is dead.
func.func @good(%x: memref<4xf32>, %y: memref<4xf32>) attributes {weft.scratch = 192 : i64} {
  %w = weft.weight "w" {offset = 64 : i64} : memref<4xf32>
  %a = weft.buffer offset 0 bytes 16 live 0 to 1 : memref<4xf32>
  %b = weft.buffer offset 64 bytes 16 live 1 to 2 : memref<4xf32>
  %c = weft.buffer offset 0 bytes 16 live 2 to 3 : memref<4xf32>
  call @k(%w, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @layer(%a, %b) {weft.arena = 128 : i64} : (memref<4xf32>, memref<4xf32>) -> ()
  call @k(%b, %c) : (memref<4xf32>, memref<4xf32>) -> ()
  call @k(%c, %y) : (memref<4xf32>, memref<4xf32>) -> ()
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
  // expected-error @+1 {{ends at byte 80 of an arena of 64 bytes}}
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

// expected-error @+1 {{kernel 'empty' has 0 anchors, expected one}}
func.func private @empty(%x: memref<4xf32>) attributes {weft.kernel} {
  return
}
