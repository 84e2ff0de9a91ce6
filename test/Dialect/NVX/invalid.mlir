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

// -----

func.func @none(%barrier: !llvm.ptr<3>) {
  // expected-error @below {{attribute 'arrivals' failed to satisfy constraint}}
  nvx.mbarrier_init %barrier, 0
  return
}

// -----

func.func @bytes(%barrier: !llvm.ptr<3>) {
  // expected-error @below {{attribute 'bytes' failed to satisfy constraint}}
  nvx.mbarrier_expect %barrier, -1
  return
}

// -----

func.func @point(%target: !llvm.ptr<3>, %map: !llvm.ptr, %barrier: !llvm.ptr<3>) {
  // expected-error @below {{has 1 to 5 coordinates, not 0}}
  nvx.tma_load %target, %map[], %barrier
  return
}

// -----

func.func @result(%source: !llvm.ptr<3>, %map: !llvm.ptr) {
  // expected-error @below {{has 1 to 5 coordinates, not 0}}
  nvx.tma_store %map[], %source
  return
}

// -----

func.func @registers() {
  // expected-error @below {{attribute 'count' failed to satisfy constraint}}
  nvx.max_registers more 264
  return
}

// -----

func.func @groups(%c: f32) {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint}}
  %0 = nvx.wgmma_wait -1 [%c] : f32
  return
}

// -----

func.func @type(%a: i64, %c: f32) {
  // expected-error @below {{multiplies bf16, f16 or tf32, not 'f32'}}
  %0:4 = nvx.wgmma f32 [%a] x %a + [%c, %c, %c, %c] : i64 -> f32, f32, f32, f32
  return
}

// -----

func.func @sums(%a: i64, %c: f32) {
  // expected-error @below {{has 4 to 128 sums, a multiple of 4, not 3}}
  %0:3 = nvx.wgmma bf16 [%a] x %a + [%c, %c, %c] : i64 -> f32, f32, f32
  return
}

// -----

func.func @rows(%a: i64, %r: i32, %c: f32) {
  // expected-error @below {{takes a descriptor of a, an i64, or four registers of i32}}
  %0:4 = nvx.wgmma bf16 [%r, %r] x %a + [%c, %c, %c, %c] : i32, i32 -> f32, f32, f32, f32
  return
}

// -----

func.func @turned(%a: i64, %c: f32) {
  // expected-error @below {{cannot read columns of tf32 that lie side by side}}
  %0:4 = nvx.wgmma tf32 [%a] x %a + [%c, %c, %c, %c] {trans} : i64 -> f32, f32, f32, f32
  return
}

// -----

func.func @rank(%x: !llvm.ptr, %n: i64) {
  // expected-error @below {{has 1 to 5 sizes, as many of a box and one stride less, not 2, 2 and 2}}
  %0 = nvx.tensor_map %x sizes [%n, %n] strides [%n, %n] box [64, 8] of bf16 : !llvm.ptr
  return
}

// -----

func.func @element(%x: !llvm.ptr, %n: i64) {
  // expected-error @below {{is of bf16, f16 or f32, not 'i32'}}
  %0 = nvx.tensor_map %x sizes [%n, %n] strides [%n] box [32, 8] of i32 : !llvm.ptr
  return
}

// -----

func.func @box(%x: !llvm.ptr, %n: i64) {
  // expected-error @below {{has boxes with rows of 128 bytes, not of 32 elements}}
  %0 = nvx.tensor_map %x sizes [%n, %n] strides [%n] box [32, 8] of bf16 : !llvm.ptr
  return
}

// -----

func.func @zero() {
  // expected-error @below {{attribute 'id' failed to satisfy constraint}}
  nvx.named_barrier 0 of 128
  return
}
