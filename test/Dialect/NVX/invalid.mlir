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

// -----

func.func @backwards(%target: !llvm.ptr<1>, %source: !llvm.ptr<3>, %bytes: i32) {
  // expected-error @below {{operand #0 must be LLVM pointer in address space 3, but got '!llvm.ptr<1>'}}
  "nvx.cp_async"(%target, %source, %bytes) : (!llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()
  return
}

// -----

func.func @odd(%target: !llvm.ptr<3>, %source: !llvm.ptr<1>, %bytes: i32) {
  // expected-error @below {{attribute 'size' failed to satisfy constraint: 32-bit signless integer attribute which is 4, 8 or 16}}
  nvx.cp_async %target, %source, %bytes of 6
  return
}

// -----

func.func @before() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint}}
  nvx.cp_async_wait -1
  return
}

// -----

func.func @three(%rows: !llvm.ptr<3>) {
  // expected-error @below {{reads 1, 2 or 4 matrices, not 3}}
  %0:3 = nvx.ldmatrix %rows : i32, i32, i32
  return
}

// -----

func.func @element(%a: i32, %c: f32) {
  // expected-error @below {{multiplies bf16, f16 or tf32, not 'f32'}}
  %0:4 = nvx.mma f32 [%a, %a, %a, %a] x [%a, %a] + [%c, %c, %c, %c]
  return
}

// -----

func.func @rows(%a: i32, %c: f32) {
  // expected-error @below {{takes 4 registers of a, not 2}}
  %0:4 = nvx.mma bf16 [%a, %a] x [%a, %a] + [%c, %c, %c, %c]
  return
}

// -----

func.func @columns(%a: i32, %c: f32) {
  // expected-error @below {{takes 2 registers of b, not 4}}
  %0:4 = nvx.mma bf16 [%a, %a, %a, %a] x [%a, %a, %a, %a] + [%c, %c, %c, %c]
  return
}

// -----

func.func @sums(%a: i32, %c: f32) {
  // expected-error @below {{takes 4 registers of c, not 1}}
  %0:4 = nvx.mma bf16 [%a, %a, %a, %a] x [%a, %a] + [%c]
  return
}
