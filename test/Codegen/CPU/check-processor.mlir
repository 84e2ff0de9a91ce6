// RUN: weft-opt %s --weft-check-processor=features=avx,avx512f,amx-tile,amx-bf16 | FileCheck %s
// RUN: weft-opt %s --weft-check-processor=features=sse3,lzcnt | FileCheck %s --check-prefix=FEW
// RUN: weft-opt %s --weft-check-processor=features=avx10.1,avx10.2 | FileCheck %s --check-prefix=VERSION
// RUN: weft-opt %s --weft-check-processor=features=bf16,rcpc,rcpc-immo,sve2,fullfp16 | FileCheck %s --check-prefix=ARM
// RUN: weft-opt %s --weft-check-processor | FileCheck %s --check-prefix=NONE
// RUN: not weft-opt %s --weft-check-processor=features=wings 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not weft-opt %s --weft-check-processor=features=avx,bf16 2>&1 | FileCheck %s --check-prefix=BOTH

// Each word is asked for, and compared with what is needed of it: AVX with OSXSAVE, then what the leaves beyond have, if
// the processor knows them; the registers that the system keeps; the permission to use tiles. The answer is kept.
// CHECK: llvm.mlir.global internal @weft.processor.answer(0 : i32)
// CHECK: llvm.func internal @weft.processor() -> i32 attributes {target_cpu = "x86-64"}
// CHECK: %[[KEPT:.+]] = llvm.mlir.addressof @weft.processor.answer
// CHECK: llvm.load %[[KEPT]] atomic monotonic
// CHECK: "cpuid"
// CHECK: llvm.mlir.constant(402653184 : i32)
// CHECK: llvm.cond_br %{{.+}}, ^{{.+}}, ^[[FAIL:bb[0-9]+]]
// CHECK: llvm.icmp "uge"
// CHECK: "cpuid"
// CHECK: llvm.mlir.constant(65536 : i32)
// CHECK: llvm.mlir.constant(20971520 : i32)
// CHECK: ".byte 0x0f, 0x01, 0xd0"
// CHECK: llvm.mlir.constant(393446 : i32)
// CHECK: "syscall"
// CHECK: llvm.store %{{.+}}, %[[KEPT]] atomic monotonic
// CHECK: llvm.return
// CHECK: ^[[FAIL]]:
// CHECK: llvm.mlir.constant(9 : i32)
// CHECK: llvm.store
// CHECK: llvm.mlir.constant(8 : i32)
// CHECK: llvm.return

// FEW: "cpuid"
// FEW: llvm.mlir.constant(1 : i32)
// FEW: llvm.mlir.constant(-2147483647 : i32)
// FEW: llvm.mlir.constant(32 : i32)
// FEW-NOT: ".byte
// FEW-NOT: "syscall"

// The version of AVX10 is a byte of a leaf that few processors know.
// VERSION: llvm.mlir.constant(524288 : i32)
// VERSION: %[[KNOWN:.+]] = llvm.mlir.constant(36 : i32)
// VERSION: llvm.icmp "uge" %{{.+}}, %[[KNOWN]]
// VERSION: %[[LEAF:.+]] = llvm.mlir.constant(36 : i32)
// VERSION: %[[ANSWER:.+]] = llvm.inline_asm {{.*}}"cpuid"{{.*}} %[[LEAF]]
// VERSION: %[[EBX:.+]] = llvm.extractvalue %[[ANSWER]][1]
// VERSION: %[[BYTE:.+]] = llvm.mlir.constant(255 : i32)
// VERSION: %[[HAS:.+]] = llvm.and %[[EBX]], %[[BYTE]]
// VERSION: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// VERSION: llvm.icmp "uge" %[[HAS]], %[[TWO]]
// VERSION: ".byte

// AArch64: each register is read once, and each field compared once with what is needed of it, at the top of a word. 15
// stands for no floating point at all.
// ARM: llvm.func internal @weft.processor() -> i32 attributes {target_cpu = "generic"}
// ARM: %[[PFR0:.+]] = llvm.inline_asm has_side_effects "mrs $0, S3_0_C0_C4_0"
// ARM: %[[BY:.+]] = llvm.mlir.constant(40 : i64)
// ARM: %[[HALVES:.+]] = llvm.shl %[[PFR0]], %[[BY]]
// ARM: %[[ONE:.+]] = llvm.mlir.constant(1152921504606846976 : i64)
// ARM: llvm.icmp "sge" %[[HALVES]], %[[ONE]]
// ARM: llvm.cond_br
// ARM: "mrs $0, S3_0_C0_C4_4"
// ARM: llvm.mlir.constant(60 : i64)
// ARM: llvm.icmp "uge"
// ARM: "mrs $0, S3_0_C0_C6_1"
// ARM: llvm.mlir.constant(40 : i64)
// ARM: llvm.mlir.constant(2305843009213693952 : i64)
// ARM: llvm.icmp "uge"
// ARM: llvm.mlir.constant(16 : i64)
// ARM: llvm.icmp "uge"
// ARM-NOT: llvm.icmp
// ARM-NOT: "mrs

// NONE-NOT: weft.processor
// UNKNOWN: no processor can be asked for the feature 'wings'
// BOTH: no processor has both 'avx' and 'bf16'
module {
}
