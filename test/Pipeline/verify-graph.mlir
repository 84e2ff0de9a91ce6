// RUN: weft-opt %s --split-input-file --verify-diagnostics --weft-verify-graph

module attributes {weft.symbols = #weft.bounds<T to 8>} {
  func.func @good(%x: tensor<?xf32, #weft.bounds<T to 8>>) -> tensor<?xf32, #weft.bounds<T to 8>> {
    %y = weft.map [t in T to 8] ins(%x[t] : tensor<?xf32, #weft.bounds<T to 8>>) {
    ^bb0(%0: f32):
      %1 = math.exp %0 : f32
      weft.yield %1 : f32
    } -> tensor<?xf32, #weft.bounds<T to 8>>
    return %y : tensor<?xf32, #weft.bounds<T to 8>>
  }
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8>} {
  // expected-error @+1 {{symbol 'T' has the bound 9 here and 8 before: a symbol is the same in a whole module}}
  func.func @bound(%x: tensor<?xf32, #weft.bounds<T to 9>>) {
    return
  }
}

// -----

// expected-error @+1 {{'layer' has no body: a module call was not resolved}}
func.func private @layer(tensor<4xf32>) -> tensor<4xf32>

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error @+1 {{'tensor.expand_shape' is no op of a formula: stages graph and fused hold weft, arith and math in functions}}
  %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// expected-error@+1 {{'buffer' passes or returns 'memref<4xf32>', which is no tensor}}
func.func @buffer(%x: memref<4xf32>) {
  // expected-error @+1 {{writes a buffer: buffers begin with stage kernels}}
  weft.map [i in 4] outs(%x : memref<4xf32>) {
    %0 = arith.constant 1.0 : f32
    weft.yield %0 : f32
  }
  return
}

// -----

func.func @given(%x: tensor<4xf32> {weft.default = 0.0 : f32, weft.name = "x"}, %g: tensor<i1> {weft.given = "x"}) {
  return
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8>} {
  // expected-error @+1 {{'weft.generate' of 'y' names the symbol 'S', which is not among the module's weft.symbols}}
  func.func @y(%x: tensor<4xf32>) -> (tensor<4xf32> {weft.name = "y"})
      attributes {weft.entry, weft.generate = #weft.generate<"y", along = "S">} {
    return %x : tensor<4xf32>
  }
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8, N to 8>} {
  // expected-error @+1 {{'y_step' continues @y, which is no entry for a whole sequence}}
  func.func @y_step() attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
    return
  }
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8>} {
  func.func @y() attributes {weft.entry} {
    return
  }
  // expected-error @+1 {{'weft.step' of 'y_step' names the symbol 'N', which is not among the module's weft.symbols}}
  func.func @y_step() attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
    return
  }
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8, N to 8>} {
  func.func @y() attributes {weft.entry} {
    return
  }
  // expected-error @+1 {{'y_last' computes the last position of @y, which is no step}}
  func.func @y_last() attributes {weft.entry, weft.last = @y, weft.step = #weft.step<@y, length = "T", count = "N">} {
    return
  }
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8, N to 8, M to 8>} {
  func.func @y() attributes {weft.entry} {
    return
  }
  func.func @y_step(%k: tensor<4xf32> {weft.name = "k.0", weft.state})
      attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
    return
  }
  // expected-error @+1 {{'y_last' has not the state of @y_step}}
  func.func @y_last(%k: tensor<8xf32> {weft.name = "k.0", weft.state})
      attributes {weft.entry, weft.last = @y_step, weft.step = #weft.step<@y, length = "T", count = "M">} {
    return
  }
}

// -----

func.func @y() attributes {weft.entry} {
  return
}
// expected-error @+1 {{'y_start' begins the sequences of @y, which is no step}}
func.func @y_start() attributes {weft.entry, weft.start = @y} {
  return
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8, N to 8>} {
  func.func @y() attributes {weft.entry} {
    return
  }
  func.func @y_step(%k: tensor<4xf32> {weft.name = "k.0", weft.state})
      attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
    return
  }
  // expected-error @+1 {{'y_start' makes 'k.1', which is no part of the state of @y_step}}
  func.func @y_start(%x: tensor<4xf32>) -> (tensor<4xf32> {weft.name = "k.1", weft.state})
      attributes {weft.entry, weft.start = @y_step} {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{'branches' has branches: a function of formulas has one block}}
func.func @branches(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'cf.br' is no op of a formula}}
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

module {
  // expected-error@+1 {{'f': a tensor that is passed or returned has elements of type 'f64', expected one of}}
  func.func @f(%x: tensor<4xf64>) {
    return
  }
}

// -----

module {
  func.func @f() {
    // expected-error@+1 {{the result has elements of type 'i64', expected one of}}
    %c = arith.constant dense<1> : tensor<4xi64>
    return
  }
}
