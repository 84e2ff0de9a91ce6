// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @lanes(%sum: vector<8xf32>, %a: vector<16xi32>) {
  // expected-error @below {{the lanes of sums and factors are as many}}
  %0 = weft_cpu.dot %sum, %a, %a : vector<8xf32>, vector<16xi32>
  return
}

// -----

func.func @shorts(%sum: vector<16xf32>, %a: vector<16xi16>) {
  // expected-error @below {{operand #1 must be}}
  %0 = weft_cpu.dot %sum, %a, %a : vector<16xf32>, vector<16xi16>
  return
}

// -----

func.func @pointer(%sums: !llvm.ptr, %rows: memref<4xbf16>, %n: index) {
  // expected-error @below {{operand #1 must be pointer}}
  weft_cpu.tile_product %sums, %rows stride %n, %sums count %n k %n : !llvm.ptr, memref<4xbf16>, !llvm.ptr
  return
}

// -----

func.func @parts(%p: !llvm.ptr, %n: index) {
  // expected-error @below {{columns have no more parts than rows}}
  weft_cpu.tile_product %p, %p stride %n, %p count %n k %n parts = 2 by 3 : !llvm.ptr, !llvm.ptr, !llvm.ptr
  return
}

// -----

func.func @many(%p: !llvm.ptr, %n: index) {
  // expected-error @below {{attribute 'parts' failed to satisfy constraint}}
  weft_cpu.tile_product %p, %p stride %n, %p count %n k %n parts = 4 by 1 : !llvm.ptr, !llvm.ptr, !llvm.ptr
  return
}

// -----

func.func @words(%words: vector<8xi32>) {
  // expected-error @below {{there are as many numbers as results}}
  %0 = weft_cpu.look_up %words of [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0] : vector<8xi32> to vector<16xf32>
  return
}

// -----

func.func @bytes(%words: vector<8xi32>) {
  // expected-error @below {{the table has 16 numbers}}
  %0 = weft_cpu.look_up_bytes %words of [0, 1] : vector<8xi32>
  return
}

// -----

func.func @table(%words: vector<8xi32>) {
  // expected-error @below {{the table has 16 numbers}}
  %0 = weft_cpu.look_up %words of [0.0, 1.0] : vector<8xi32> to vector<8xf32>
  return
}

// -----

func.func @both(%x: vector<16xf32>) -> vector<16xf32> {
  // expected-error @below {{a power is rounded, a weight, or neither}}
  %0 = weft_cpu.power_of_two %x rounded weight : vector<16xf32>
  return %0 : vector<16xf32>
}
