// RUN: weft-opt --weft-lower-calls --split-input-file --verify-diagnostics %s -o /dev/null

func.func @unplaced(%y: memref<4xf32> {weft.output, weft.name = "y"}) attributes {weft.entry, weft.scratch = 0 : i64} {
  // expected-error @+1 {{the weight has no place yet: run weft-plan-memory first}}
  %w = weft.weight "w" : memref<4xf32>
  return
}

// -----

func.func private @unknown(memref<4xf32>)
func.func @calls(%y: memref<4xf32> {weft.output, weft.name = "y"}) attributes {weft.entry, weft.scratch = 0 : i64} {
  // expected-error @+1 {{calls a function that is no layer}}
  call @unknown(%y) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @foreign(%y: memref<4xf32> {weft.output, weft.name = "y"}) attributes {weft.entry, weft.scratch = 0 : i64} {
  %c0 = arith.constant 0 : index
  %0 = arith.constant 1.0 : f32
  // expected-error @+1 {{does not belong to stage kernels}}
  memref.store %0, %y[%c0] : memref<4xf32>
  return
}

// -----

func.func @made(%y: memref<4xf32> {weft.output, weft.name = "y"}) attributes {weft.entry, weft.scratch = 0 : i64} {
  // expected-error @+1 {{does not belong to stage kernels}}
  %0 = memref.cast %y : memref<4xf32> to memref<?xf32>
  return
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 4>} {
func.func private @k(%n: i64, %status: !llvm.ptr) attributes {weft.kernel} {
  return
}
func.func @size() attributes {weft.entry, weft.scratch = 0 : i64} {
  // expected-error @+1 {{the model has no run-time dimension 'S'}}
  weft.launch @k sizes ["S"]
  return
}
}

// -----

func.func private @k(%y: !llvm.ptr<1>, %status: !llvm.ptr) attributes {weft.kernel} {
  return
}
func.func @elsewhere(%y: memref<4xf32> {weft.output, weft.name = "y"}) attributes {weft.entry, weft.scratch = 0 : i64} {
  // expected-error @+1 {{the kernel 'k' takes no addresses of memory space 0: run weft-lower-kernels and weft-lower-addresses first}}
  weft.launch @k outs(%y : memref<4xf32>)
  return
}
