/*===- weft_model_info.h - what a compiled model says about itself -----------------*- C -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every compiled model MODEL defines one constant `const weft_model_info MODEL_info`; a shared
// library also exports `const weft_model_info *weft_get_info(void)`, so that a program that does
// not know the model (weft-run) can find its entries, their tensors and their bounds.
//
// The layout is the contract between the compiler, which writes these structures as constants,
// and everyone who reads them. All fields have a fixed width and their natural alignment, padding
// is spelled out as `reserved` (written as 0), and pointers are 8 bytes. The number in brackets
// before a field is its offset. A change of layout, or a new code for something, changes
// WEFT_ABI_VERSION. What is added at the end of weft_model_info alone leaves the models of the
// versions from WEFT_ABI_OLDEST on as good as before: who reads it looks at `abi_version` first.
//
// Strings end in NUL and are never null; an array with count 0 may be null.
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_RUNTIME_WEFT_MODEL_INFO_H
#define WEFT_RUNTIME_WEFT_MODEL_INFO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_ABI_VERSION 7
#define WEFT_ABI_OLDEST 4

/* What an entry returns, and the functions of weft_runtime.h. weft_error_string() explains them. */
enum {
  WEFT_OK = 0,
  WEFT_ERROR_LENGTH = 1,   /* a symbol's value is below 1 or above its bound, or a sequence was
                              shortened further than its windows reach back */
  WEFT_ERROR_INDEX = 2,    /* an element used as an index is out of range */
  WEFT_ERROR_ARGUMENT = 3, /* a null pointer where a tensor, the weights or the scratch is needed */
  WEFT_ERROR_FILE = 4,     /* the weights file cannot be opened, read or mapped */
  WEFT_ERROR_WEIGHTS = 5,  /* the file is no weights file, or is another model's */
  WEFT_ERROR_VERSION = 6,  /* the model was compiled for another version of this interface */
  WEFT_ERROR_MEMORY = 7,   /* out of memory */
  WEFT_ERROR_PROCESSOR = 8, /* the processor, or the system, lacks something that the code needs */
  WEFT_ERROR_DEVICE = 9 /* no GPU that the code can run on, or it failed, or has no memory left */
};

/* Element types. A bool is one byte, 0 or 1; f16 (IEEE 754 binary16) and bf16 (the upper half of a
 * float) are the bits of a uint16_t. */
enum {
  WEFT_F32 = 0,
  WEFT_I32 = 1,
  WEFT_BOOL = 2,
  WEFT_F16 = 3,
  WEFT_BF16 = 4,
  WEFT_I8 = 5,
  WEFT_U8 = 6
};

/* A dimension whose value is known at run time: 1 <= value <= bound. 16 bytes. */
typedef struct weft_symbol_info {
  const char *name; /* [0] as in the text: "T" */
  int64_t bound;    /* [8] */
} weft_symbol_info;

/* An input or an output, dense and row-major. 56 bytes. */
typedef struct weft_tensor_info {
  const char *name;       /* [0] */
  const int64_t *dims;    /* [8] `rank` extents; -1 where the extent is a symbol's value */
  const int32_t *symbols; /* [16] `rank` indices into the model's symbols; -1 where static */
  int32_t dtype;          /* [24] WEFT_F32, ... */
  int32_t rank;           /* [28] 0 for a scalar */
  int32_t optional;       /* [32] 1: a null pointer stands for a tensor of `default_value` */
  int32_t computed;       /* [36] 1: a null pointer stands for values that the model computes */
  double default_value;   /* [40] */
  int64_t index_bound;    /* [48] elements are ids and 0 <= id < index_bound; 0: not ids */
} weft_tensor_info;

/* The uniform way to call an entry. `sizes` holds the values of all symbols of the model, in
 * their order (those that the entry does not use are ignored); `inputs` and `outputs` hold one
 * pointer per tensor, in their order. `weights` is the start of the mapped weights file (64-byte
 * aligned), or null for those in the object; `scratch` has scratch_bytes bytes, 64-byte aligned, of
 * any content. Nothing is kept between calls, so threads may share the weights if each brings its
 * scratch. (A model for a GPU keeps weights and caches there: weft_cuda.h.) */
typedef int (*weft_call)(const void *weights, void *scratch, const int64_t *sizes,
                         void *const *inputs, void *const *outputs);

/* A function of the model. 80 bytes. Its arithmetic, counting each operation on reals as 1 (a
 * multiplication and an addition as 2; of products and attentions nothing else), is flops[0] +
 * flops[1] * n + flops[2] * n * n, with n the value of symbol `flops_symbol` and every other symbol
 * at its bound; all zero where it is not known. `entry_flops` of weft_model_info has no bounds. */
typedef struct weft_entry_info {
  const char *name;                /* [0] */
  weft_call call;                  /* [8] */
  int64_t scratch_bytes;           /* [16] may be 0; then `scratch` may be null */
  const weft_tensor_info *inputs;  /* [24] */
  const weft_tensor_info *outputs; /* [32] */
  int32_t input_count;             /* [40] */
  int32_t output_count;            /* [44] */
  double flops[3];                 /* [48] */
  int32_t flops_symbol;            /* [72] index of a symbol, or -1: only flops[0] counts */
  int32_t reserved;                /* [76] */
} weft_entry_info;

/* A kernel, for profiles, or one of the ways in which it is called: its index is the argument of
 * weft_profile_begin and weft_profile_end, which an object compiled with --profile calls around it.
 * 48 bytes. */
typedef struct weft_kernel_info {
  const char *name;     /* [0] */
  const char *location; /* [8] the formula it came from, "gpt2.weft:31:3", or "" */
  double flops[3];      /* [16] of one call, as in weft_entry_info */
  int32_t flops_symbol; /* [40] */
  int32_t reserved;     /* [44] */
} weft_kernel_info;

/* A step of a count, an expression in postfix form: a number or the value of a symbol goes on the
 * stack, or the two last ones make way for their sum, product, smaller or larger one. 16 bytes. */
enum {
  WEFT_COUNT_NUMBER = 0,
  WEFT_COUNT_SYMBOL = 1,
  WEFT_COUNT_ADD = 2,
  WEFT_COUNT_MULTIPLY = 3,
  WEFT_COUNT_LEAST = 4,
  WEFT_COUNT_MOST = 5
};
typedef struct weft_count_step {
  int32_t kind;   /* [0] WEFT_COUNT_NUMBER, ... */
  int32_t symbol; /* [4] index of a symbol */
  double number;  /* [8] */
} weft_count_step;

/* A number, which the steps leave. 16 bytes. */
typedef struct weft_count {
  const weft_count_step *steps; /* [0] */
  int32_t step_count;           /* [8] 0: it is not known */
  int32_t reserved;             /* [12] */
} weft_count;

/* What multiplies in a kernel. */
enum { WEFT_UNIT_NONE = 0, WEFT_UNIT_F32 = 1, WEFT_UNIT_BF16 = 2, WEFT_UNIT_INT8 = 3 };

/* What a call of a kernel does, for any values of symbols. The steps leave four numbers:
 * operations on reals, as in weft_entry_info; exponentials and other functions, those too that
 * are not among the operations; bytes that are read and written; those of them that are
 * weights. 24 bytes. */
typedef struct weft_kernel_counts {
  const weft_count_step *steps; /* [0] */
  int32_t step_count;           /* [8] 0: it is not known */
  int32_t unit;                 /* [12] WEFT_UNIT_F32, ... */
  int32_t passes;               /* [16] how often the unit computes a product: 1, or 3 or 6 if its
                                 * factors are split into numbers of fewer bits */
  int32_t reserved;             /* [20] */
} weft_kernel_counts;

/* The uniform way to call a step or its start; `state` has state_bytes bytes, 64-byte aligned, and
 * belongs to one sequence. The other arguments are as in weft_call. */
typedef int (*weft_step_call)(const void *weights, void *state, void *scratch, const int64_t *sizes,
                              void *const *inputs, void *const *outputs);

/* The function that continues a sequence by new positions, and the one that begins a sequence. The
 * state is plain memory: a copy of it is another sequence with the same past, and its first 8 bytes
 * are the number of positions so far, which may be set lower to take positions back: to 0, or as
 * far as windows still hold what the next positions see of those before (else WEFT_ERROR_LENGTH, on
 * a GPU WEFT_ERROR_DEVICE). `sizes` gives the number of new positions as the value of
 * `count_symbol`; the value of `length_symbol`, the positions with the new ones, comes from the
 * state. After an error the number of positions says how many were computed, and the sequence can
 * go on from there: new ones that windows make several pieces may be computed in part.
 *
 * `last` does what `call` does on the same state, but of the new positions computes the outputs of
 * the last one only: they lack the dimension of the new ones, and have the bits that `call` gives.
 * 112 bytes. */
typedef struct weft_step_info {
  const char *name;                     /* [0] "logits_step" */
  weft_step_call call;                  /* [8] */
  weft_step_call start;                 /* [16] before the first call of a sequence */
  int64_t state_bytes;                  /* [24] */
  int64_t scratch_bytes;                /* [32] of any of the three; 0: `scratch` may be null */
  const weft_tensor_info *inputs;       /* [40] of `call` */
  const weft_tensor_info *outputs;      /* [48] of `call` */
  const weft_tensor_info *start_inputs; /* [56] of `start`: what the whole sequence sees */
  int32_t input_count;                  /* [64] */
  int32_t output_count;                 /* [68] */
  int32_t start_input_count;            /* [72] */
  int32_t entry;                        /* [76] index of the entry that computes all at once */
  int32_t length_symbol;                /* [80] */
  int32_t count_symbol;                 /* [84] */
  weft_step_call last;                  /* [88] or null */
  const weft_tensor_info *last_outputs; /* [96] `output_count` of `last` */
  int32_t last_symbol;                  /* [104] counts them in the code of `last`; -1: none */
  int32_t reserved;                     /* [108] */
} weft_step_info;

/* Whether this machine has what the code needs: WEFT_OK or WEFT_ERROR_PROCESSOR. Every function of
 * a model asks first, and returns the same; that takes no time after the first call. */
typedef int (*weft_processor_check)(void);

/* A compiled model. 168 bytes. */
typedef struct weft_model_info {
  int32_t abi_version;          /* [0] WEFT_ABI_VERSION of the compiler */
  int32_t threaded;             /* [4] 1: it calls weft_parallel_for; 0: one thread */
  const char *name;             /* [8] prefix of its C functions: "gpt2" */
  const char *compiler;         /* [16] "weftc 0.1" */
  const char *target;           /* [24] "x86-64-v4" */
  uint64_t fingerprint;         /* [32] the weights file must carry the same */
  int64_t weights_bytes;        /* [40] size of the whole weights file; 0: there is none */
  int64_t parameter_count;      /* [48] numbers in the checkpoint tensors it uses */
  int64_t peak_bytes;           /* [56] weights and the largest scratch and state of a call */
  const void *embedded_weights; /* [64] the bytes of a weights file, aligned to pages, if they are
                                 * in the object (weftc --embed-weights); or null */
  const weft_symbol_info *symbols; /* [72] */
  const weft_entry_info *entries;  /* [80] */
  const weft_kernel_info *kernels; /* [88] */
  int32_t symbol_count;            /* [96] */
  int32_t entry_count;             /* [100] */
  int32_t kernel_count;            /* [104] 0 unless compiled with --profile */
  int32_t generate_entry;          /* [108] index of the entry that generates text, or -1 */
  int32_t generate_output;         /* [112] its output [symbol, vocabulary] of logits, or -1 */
  int32_t generate_symbol;         /* [116] the symbol that counts positions, or -1 */
  int32_t generate_input;          /* [120] its input [symbol] of ids, or -1 */
  int32_t step_count;              /* [124] */
  const weft_step_info *steps;     /* [128] entries that can be continued */
  const char *features; /* [136] what its code needs, as LLVM calls it: "avx2,fma"; or "" */
  weft_processor_check processor; /* [144] null: it needs nothing that a processor may lack */
  const weft_kernel_counts *kernel_counts; /* [152] since version 5: kernel_count of them */
  const weft_count *entry_flops; /* [160] since version 7: entry_count of them, the arithmetic of
                                  * a call for any values of symbols */
} weft_model_info;

/* The name under which a shared library exports its description. */
#define WEFT_GET_INFO_NAME "weft_get_info"
typedef const weft_model_info *(*weft_get_info_function)(void);

/* The first 64 bytes of a weights file. Tensors follow at 64-byte aligned offsets that the
 * object knows as constants; offset 0 is the first byte of this header. Little-endian. */
#define WEFT_WEIGHTS_MAGIC "WEFTWTS1"
typedef struct weft_weights_header {
  char magic[8];        /* [0] WEFT_WEIGHTS_MAGIC without its NUL */
  uint64_t fingerprint; /* [8] */
  uint64_t total_bytes; /* [16] size of the file */
  uint8_t zero[40];     /* [24] */
} weft_weights_header;

#ifdef __cplusplus
}
#endif

#endif /* WEFT_RUNTIME_WEFT_MODEL_INFO_H */
