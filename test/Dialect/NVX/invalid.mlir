// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @wide(%x: f64) {
  // expected-error @below {{operand #0 must be 32-bit float, but got 'f64'}}
  %0 = nvx.ex2 %x : f64
  return
}

// -----

func.func @lanes(%x: vector<4xf32>) {
  // expected-error @below {{invalid kind of type specified}}
  %0 = nvx.rsqrt %x : vector<4xf32>
  return
}

// -----

func.func @position() {
  // expected-error @below {{expected builtin.integer, but found 'index'}}
  %0 = nvx.thread_id : index
  return
}

// -----

func.func @mixed(%x: f32) {
  // expected-error @below {{result #0 must be 32-bit float, but got 'f64'}}
  %0 = "nvx.ex2"(%x) : (f32) -> f64
  return
}

// -----

func.func @far(%x: f32) {
  // expected-error @below {{attribute 'distance' failed to satisfy constraint}}
  %0 = nvx.shuffle %x xor 32 : f32
  return
}

// -----

func.func @long(%x: f64) {
  // expected-error @below {{operand #0 must be 32-bit float or 32-bit signless integer, but got 'f64'}}
  %0 = nvx.shuffle %x xor 1 : f64
  return
}
