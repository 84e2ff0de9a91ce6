// RUN: weft-opt --weft-plan-memory %s | FileCheck %s
// RUN: weft-opt --weft-plan-memory=reuse=false %s | FileCheck %s --check-prefix=KEEP

func.func private @k(%a: memref<16xf32>, %b: memref<16xf32>) attributes {weft.kernel} {
  return
}
func.func private @big(%a: memref<16xf32>, %b: memref<256xf32>) attributes {weft.kernel} {
  return
}
func.func private @join(%a: memref<256xf32>, %b: memref<16xf32>, %c: memref<16xf32>) attributes {weft.kernel} {
  return
}

// The large buffer is placed first. The first small one is dead when it is written and lies in its
// place; a default for an input that is left out lives throughout and shares with none.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: weft.default_offset = 1088 : i64
// CHECK-SAME: weft.scratch = 1152 : i64
// CHECK: weft.buffer offset 0 bytes 64 live 0 to 1
// CHECK: weft.buffer offset 1024 bytes 64 live 1 to 2
// CHECK: weft.buffer offset 0 bytes 1024 live 2 to 4
// CHECK: weft.buffer offset 1024 bytes 64 live 3 to 4
// KEEP-LABEL: func.func @chain
// KEEP-SAME: weft.scratch = 1280 : i64
func.func @chain(%x: memref<16xf32> {weft.default = 1.0 : f32}, %y: memref<16xf32> {weft.output}) attributes {weft.entry} {
  %a = weft.buffer offset -1 bytes 64 live 0 to 0 : memref<16xf32>
  weft.launch @k ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %b = weft.buffer offset -1 bytes 64 live 0 to 0 : memref<16xf32>
  weft.launch @k ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  %c = weft.buffer offset -1 bytes 1024 live 0 to 0 : memref<256xf32>
  weft.launch @big ins(%b : memref<16xf32>) outs(%c : memref<256xf32>)
  %d = weft.buffer offset -1 bytes 64 live 0 to 0 : memref<16xf32>
  weft.launch @k ins(%x : memref<16xf32>) outs(%d : memref<16xf32>)
  weft.launch @join ins(%c, %d : memref<256xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}
