// RUN: weft-opt %s --split-input-file --verify-diagnostics
// What WeftDiscardableAttrs.td and the rules for values (DiscardableRules.cpp) refuse: a name, a place, a type, then
// the values in the order of the list.

// expected-error @+1 {{unknown attribute 'weft.entri'; did you mean 'weft.entry'?}}
func.func @name() attributes {weft.entri} {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'name': unknown attribute 'weft.xyz'}}
func.func @name(%x: tensor<4xf32> {weft.xyz}) {
  return
}

// -----

// expected-error @+1 {{result 0 of 'name': unknown attribute 'weft.xyz'}}
func.func private @name() -> (tensor<4xf32> {weft.xyz = 1})

// -----

func.func @place() {
  // expected-error @+1 {{'weft.scratch' stands on functions only}}
  return {weft.scratch = 0}
}

// -----

// expected-error @+1 {{'weft.entry' stands on functions only}}
module attributes {weft.entry} {
}

// -----

// expected-error @+1 {{'weft.start' stands on entries only}}
func.func @place() attributes {weft.start = @step} {
  return
}

// -----

// expected-error @+1 {{'weft.last' stands on entries only}}
func.func @place() attributes {weft.last = @step} {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'place': 'weft.kernel' stands on functions only}}
func.func @place(%x: tensor<4xf32> {weft.kernel}) {
  return
}

// -----

// expected-error @+1 {{result 0 of 'place': 'weft.default' stands on arguments only}}
func.func private @place() -> (tensor<4xf32> {weft.default = 0.0 : f32})

// -----

// expected-error @+1 {{'weft.name' stands on arguments and results only}}
func.func @place() attributes {weft.name = "x"} {
  return
}

// -----

func.func @f(%x: f32) -> f32 {
  // expected-error @+1 {{'weft.rounded' stands on products of two reals only}}
  %y = arith.addf %x, %x {weft.rounded} : f32
  return %y : f32
}

// -----

func.func @place() {
  // expected-error @+1 {{'weft.lowering' stands on formulas only}}
  %w = weft.weight "w" {weft.lowering = #weft.lowering<"map", parallel = false, width = 1>} : tensor<4xf32>
  return
}

// -----

func.func @place() {
  // expected-error @+1 {{'weft.label' stands on ops of the dialect only}}
  %0 = arith.constant {weft.label = "x"} 1.0 : f32
  return
}

// -----

func.func @place() {
  // expected-error @+1 {{'weft.arena' stands on calls only}}
  %w = weft.weight "w" {weft.arena = 0} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{'weft.symbols' stands on modules only}}
func.func @place() attributes {weft.symbols = #weft.bounds<T to 8>} {
  return
}

// -----

// expected-error @+1 {{'weft.entry' is 1 : i64, expected nothing (a unit attribute)}}
func.func @type() attributes {weft.entry = 1} {
  return
}

// -----

// expected-error @+1 {{'weft.step' is 1 : i64, expected #weft.step<...>}}
func.func @type() attributes {weft.entry, weft.step = 1 : i64} {
  return
}

// -----

// expected-error @+1 {{'weft.generate' is [1, 2], expected #weft.generate<...>}}
func.func @type() attributes {weft.entry, weft.generate = [1, 2]} {
  return
}

// -----

// expected-error @+1 {{'weft.last' is unit, expected the name @F of a function}}
func.func @type() attributes {weft.entry, weft.last} {
  return
}

// -----

// expected-error @+1 {{'weft.start' is "step", expected the name @F of a function}}
func.func @type() attributes {weft.entry, weft.start = "step"} {
  return
}

// -----

// expected-error @+1 {{'weft.scratch' is 8 : i32, expected a 64-bit integer}}
func.func @type() attributes {weft.scratch = 8 : i32} {
  return
}

// -----

// expected-error @+1 {{'weft.model' is 1 : i64, expected a string}}
module attributes {weft.model = 1} {
}

// -----

// expected-error @+1 {{'weft.derives' is ["w", "g"], expected a list of lists of strings}}
func.func @lists() attributes {weft.derives = ["w", "g"]} {
  return
}

// -----

// expected-error @+1 {{'weft.derives' is [["w", "g"], ["w"]], expected lists of a name and one for each argument}}
func.func @names(%g: tensor<4xf32>) attributes {weft.derives = [["w", "g"], ["w"]]} {
  return
}

// -----

// expected-error @+1 {{'weft.flops' is [1.000000e+00], expected array<f64: ...>}}
func.func @type() attributes {weft.flops = [1.0]} {
  return
}

// -----

// expected-error @+1 {{'weft.default' is "1", expected a value of the elements' compute type}}
func.func @type(%x: tensor<4xf32> {weft.default = "1"}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'type': 'weft.default' is unit, expected a number or a bool}}
func.func @type(%x: tensor<4xf32> {weft.default}) {
  return
}

// -----

func.func @type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'weft.folded' is ["a", 1], expected a list of strings}}
  %y = weft.map [i in 4] ins(%x[i] : tensor<4xf32>) attributes {weft.folded = ["a", 1]} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{'weft.model' is "", expected a text that is not empty}}
module attributes {weft.model = ""} {
}

// -----

// expected-error @+1 {{'weft.symbols' is #weft.bounds<T to 8, T to 8>, expected every symbol once}}
module attributes {weft.symbols = #weft.bounds<T to 8, T to 8>} {
}

// -----

// expected-error @+1 {{'weft.batch' is "B", expected one of the module's symbols}}
module attributes {weft.batch = "B", weft.symbols = #weft.bounds<T to 8>} {
}

// -----

// expected-error @+1 {{the names to be renamed are pairs, found 1 names}}
module attributes {weft.checkpoint = #weft.checkpoint<prefix = [], rename = ["a"], ignore = [], unread = []>} {
}

// -----

// expected-error @+1 {{the rules of a checkpoint are lists of strings, found [1]}}
module attributes {weft.checkpoint = #weft.checkpoint<prefix = [1], rename = [], ignore = [], unread = []>} {
}

// -----

// expected-error @+1 {{'weft.weights_bytes' is -1 : i64, expected a number that is not negative}}
module attributes {weft.weights_bytes = -1} {
}

// -----

// expected-error @+1 {{'weft.entry' expected no kernel}}
func.func @both() attributes {weft.entry, weft.kernel} {
  return
}

// -----

// expected-error @+1 {{'weft.entry' expected a func.func}}
llvm.func @lowered() attributes {weft.entry} {
  llvm.return
}

// -----

// expected-error @+1 {{'weft.entry' expected arguments with different names, two are 'x'}}
func.func @twice(%x: tensor<4xf32> {weft.name = "x"}, %y: tensor<4xf32> {weft.name = "x"}) attributes {weft.entry} {
  return
}

// -----

// expected-error @+1 {{'weft.generate' is #weft.generate<"z", along = "T">, expected the name of an output of 'y'}}
func.func @y(%z: tensor<4xf32> {weft.name = "z"}) -> (tensor<4xf32> {weft.name = "y"})
    attributes {weft.entry, weft.generate = #weft.generate<"z", along = "T">} {
  return %z : tensor<4xf32>
}

// -----

// expected-error @+1 {{a step needs two symbols, of its length and its count, found 'T' and 'T'}}
func.func @step() attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "T">} {
  return
}

// -----

// expected-error @+1 {{'weft.step' is #weft.step<@step, length = "T", count = "N">, expected the name of another entry}}
func.func @step() attributes {weft.entry, weft.step = #weft.step<@step, length = "T", count = "N">} {
  return
}

// -----

// expected-error @+1 {{'weft.last' is @step, expected 'weft.step' beside it}}
func.func @last() attributes {weft.entry, weft.last = @step} {
  return
}

// -----

// expected-error @+1 {{'weft.last' is @last, expected the name of another entry}}
func.func @last() attributes {weft.entry, weft.last = @last, weft.step = #weft.step<@y, length = "T", count = "N">} {
  return
}

// -----

// expected-error @+1 {{'weft.start' is @start, expected the name of another entry}}
func.func @start() attributes {weft.entry, weft.start = @start} {
  return
}

// -----

// expected-error @+1 {{'weft.flops' is array<f64: 1.000000e+00, 2.000000e+00>, expected 3 numbers that are not negative}}
func.func @flops() attributes {weft.flops = array<f64: 1.0, 2.0>} {
  return
}

// -----

module attributes {weft.symbols = #weft.bounds<T to 8>} {
// expected-error @+1 {{'weft.flop_count' is "T S *", expected a count of the module's symbols}}
func.func @count() attributes {weft.entry, weft.flop_count = "T S *"} {
  return
}
}

// -----

// expected-error @+1 {{expected 3 numbers that are not negative}}
func.func @flops() attributes {weft.flops = array<f64: 1.0, -2.0, 0.0>} {
  return
}

// -----

// expected-error @+1 {{'T +' counts nothing in the symbols ["T"]}}
func.func private @work() attributes {weft.work = #weft.work<symbols = ["T"], unit = "f32", passes = 1, flops = "T +", functions = "0", bytes = "0", weights = "0">}

// -----

// expected-error @+1 {{'N' counts nothing in the symbols ["T"]}}
func.func private @work() attributes {weft.work = #weft.work<symbols = ["T"], unit = "f32", passes = 1, flops = "0", functions = "N", bytes = "0", weights = "0">}

// -----

// expected-error @+1 {{work is done by a unit in 1 or more passes, found 'f64' in 1}}
func.func private @work() attributes {weft.work = #weft.work<symbols = [], unit = "f64", passes = 1, flops = "0", functions = "0", bytes = "0", weights = "0">}

// -----

// expected-error @+1 {{work is done by a unit in 1 or more passes, found 'bf16' in 0}}
func.func private @work() attributes {weft.work = #weft.work<symbols = [], unit = "bf16", passes = 0, flops = "0", functions = "0", bytes = "0", weights = "0">}

// -----

// expected-error @+1 {{the symbols of work are strings, found [1]}}
func.func private @work() attributes {weft.work = #weft.work<symbols = [1], unit = "bf16", passes = 1, flops = "0", functions = "0", bytes = "0", weights = "0">}

// -----

// expected-error @+1 {{'weft.scratch' is -1 : i64, expected a number that is not negative}}
func.func @scratch() attributes {weft.scratch = -1} {
  return
}

// -----

// expected-error @+1 {{'weft.state_bytes' is 8 : i64, expected 'weft.step' beside it}}
func.func @y() attributes {weft.entry, weft.state_bytes = 8} {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.name' is "", expected a text that is not empty}}
func.func @y(%x: tensor<4xf32> {weft.name = ""}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.state' expected the function to continue or begin a sequence}}
func.func @y(%x: tensor<4xf32> {weft.name = "x", weft.state}) attributes {weft.entry} {
  return
}

// -----

// expected-error @+1 {{result 0 of 'start': 'weft.state' expected 'weft.name' beside it}}
func.func @start(%x: tensor<4xf32>) -> (tensor<4xf32> {weft.state}) attributes {weft.entry, weft.start = @step} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0 of 'step': 'weft.state_offset' is 192 : i64, expected a place in the state of 128 bytes}}
func.func @step(%x: memref<4xf32> {weft.name = "x", weft.state, weft.state_offset = 192})
    attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">, weft.state_bytes = 128} {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.state_offset' is 0 : i64, expected 'weft.state' beside it}}
func.func @y(%x: memref<4xf32> {weft.state_offset = 0}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'step': 'weft.window' is 4 : i64, expected a number below its 4 rows}}
func.func @step(%x: memref<4xf32> {weft.name = "x", weft.state, weft.window = 4})
    attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'step': 'weft.window' is 0 : i64, expected a part of the state with a fixed number of rows}}
func.func @step(%x: memref<?xf32> {weft.name = "x", weft.state, weft.window = 0})
    attributes {weft.entry, weft.step = #weft.step<@y, length = "T", count = "N">} {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.default' is 1 : i32, expected a value of the elements' compute type}}
func.func @y(%x: tensor<4xf32> {weft.default = 1 : i32}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.computed' expected 'weft.default' beside it}}
func.func @y(%x: tensor<4xf32> {weft.computed}) {
  return
}

// -----

// expected-error @+1 {{argument 1 of 'required': 'weft.given' is "x", expected one bool behind the input of this name, which has a default}}
func.func @required(%x: tensor<4xf32> {weft.name = "x"}, %g: tensor<i1> {weft.given = "x"}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'alone': 'weft.given' is "x"}}
func.func @alone(%g: tensor<i1> {weft.given = "x"}) {
  return
}

// -----

// expected-error @+1 {{argument 1 of 'shape': 'weft.given' is "x"}}
func.func @shape(%x: tensor<4xf32> {weft.default = 0.0 : f32, weft.name = "x"}, %g: tensor<4xi1> {weft.given = "x"}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.default_offset' is 0 : i64, expected 'weft.default' beside it}}
func.func @y(%x: memref<4xf32> {weft.default_offset = 0}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.index_bound' is 0 : i64, expected a number above 0}}
func.func @y(%x: memref<4xi32> {weft.index_bound = 0}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.index_bound' is 8 : i64, expected a tensor of integers}}
func.func @y(%x: memref<4xf32> {weft.index_bound = 8}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.output' expected a buffer}}
func.func @y(%x: tensor<4xf32> {weft.output}) {
  return
}

// -----

// expected-error @+1 {{argument 0 of 'y': 'weft.bounds' is #weft.bounds<T to 8, S to 8>, expected a symbol for each of the buffer's 1 run-time sizes}}
func.func @y(%x: memref<?x4xf32> {weft.bounds = #weft.bounds<T to 8, S to 8>}) {
  return
}

// -----

func.func private @layer()
func.func @y() {
  // expected-error @+1 {{'weft.arena' is -64 : i64, expected a number that is not negative}}
  call @layer() {weft.arena = -64} : () -> ()
  return
}

// -----

func.func @y(%x: memref<4xf32>) {
  // expected-error @+1 {{'weft.parts' is 2 : i64, expected a product}}
  weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) attributes {weft.parts = 2 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func @y(%x: memref<4x2xf32>, %w: memref<3x2xf32>, %z: memref<4x3xf32>) {
  // expected-error @+1 {{'weft.parts' is 4 : i64, expected 2 or 3}}
  weft.contract [i in 4, j in 3, k in 2] ins(%x[i, k], %w[j, k] : memref<4x2xf32>, memref<3x2xf32>) outs(%z : memref<4x3xf32>) attributes {weft.parts = 4 : i64}
  return
}

// -----

func.func @y(%x: memref<4x2xf32>, %w: memref<3x2xf32>, %z: memref<4x3xf32>) {
  // expected-error @+1 {{'weft.lane' is 1 : i64, expected -1 or the number of a summed index}}
  weft.contract [i in 4, j in 3, k in 2] ins(%x[i, k], %w[j, k] : memref<4x2xf32>, memref<3x2xf32>) outs(%z : memref<4x3xf32>) attributes {weft.lane = 1 : i64}
  return
}

// -----

func.func @y(%x: memref<4xf32>) {
  // expected-error @+1 {{'weft.lane' is -1 : i64, expected a sum}}
  weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) attributes {weft.lane = -1 : i64} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func @y(%x: memref<4xf32>) {
  // expected-error @+1 {{'weft.lowering' is #weft.lowering<"">, expected the name of an emitter}}
  weft.map [i in 4] ins(%x[i] : memref<4xf32>) outs(%x : memref<4xf32>) attributes {weft.lowering = #weft.lowering<"">} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

// expected-error @+1 {{field 'width' is given twice}}
func.func private @twice() attributes {a = #weft.lowering<"map", width = 8, width = 16>}

// -----

// expected-error @+1 {{expected valid keyword}}
func.func private @name() attributes {a = #weft.lowering<"map", 8>}
