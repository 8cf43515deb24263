// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/wgsl_spelling.h"

namespace vyre::wgpu {
namespace {

// clang-format off
constexpr std::string_view kReserved[] = {
    // Keywords.
    "alias", "break", "case", "const", "const_assert", "continue", "continuing", "default",
    "diagnostic", "discard", "else", "enable", "false", "fn", "for", "if", "let", "loop",
    "override", "requires", "return", "struct", "switch", "true", "var", "while",
    // Reserved words.
    "NULL", "Self", "abstract", "active", "alignas", "alignof", "as", "asm", "asm_fragment",
    "async", "attribute", "auto", "await", "become", "cast", "catch", "class", "co_await",
    "co_return", "co_yield", "coherent", "column_major", "common", "compile", "compile_fragment",
    "concept", "const_cast", "consteval", "constexpr", "constinit", "crate", "debugger",
    "decltype", "delete", "demote", "demote_to_helper", "do", "dynamic_cast", "enum", "explicit",
    "export", "extends", "extern", "external", "fallthrough", "filter", "final", "finally",
    "friend", "from", "fxgroup", "get", "goto", "groupshared", "highp", "impl", "implements",
    "import", "inline", "instanceof", "interface", "layout", "lowp", "macro", "macro_rules",
    "match", "mediump", "meta", "mod", "module", "move", "mut", "mutable", "namespace", "new",
    "nil", "noexcept", "noinline", "nointerpolation", "non_coherent", "noncoherent",
    "noperspective", "null", "nullptr", "of", "operator", "package", "packoffset", "partial",
    "pass", "patch", "pixelfragment", "precise", "precision", "premerge", "priv", "protected",
    "pub", "public", "readonly", "ref", "regardless", "register", "reinterpret_cast", "require",
    "resource", "restrict", "self", "set", "shared", "sizeof", "smooth", "snorm", "static",
    "static_assert", "static_cast", "std", "subroutine", "super", "target", "template", "this",
    "thread_local", "throw", "trait", "try", "type", "typedef", "typeid", "typename", "typeof",
    "union", "unless", "unorm", "unsafe", "unsized", "use", "using", "varying", "virtual",
    "volatile", "wgsl", "where", "with", "writeonly", "yield",
    // Predeclared types, spaces and modes.
    "array", "atomic", "bool", "f16", "f32", "f64", "i32", "i64", "u32", "u64", "mat2x2", "mat2x3",
    "mat2x4", "mat3x2", "mat3x3", "mat3x4", "mat4x2", "mat4x3", "mat4x4", "vec2", "vec3", "vec4",
    "ptr", "sampler", "function", "private", "workgroup", "uniform", "storage", "read", "write",
    "read_write",
    // Predeclared functions.
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "atomicAdd", "atomicAnd",
    "atomicCompareExchangeWeak", "atomicExchange", "atomicLoad", "atomicMax", "atomicMin",
    "atomicOr", "atomicStore", "atomicSub", "atomicXor", "bitcast", "ceil", "cos", "cosh",
    "countLeadingZeros", "countOneBits", "countTrailingZeros", "exp", "exp2", "floor", "fma",
    "inverseSqrt", "log", "log2", "max", "min", "pow", "reverseBits", "round", "select", "sin",
    "sinh", "sqrt", "storageBarrier", "tan", "tanh", "trunc", "workgroupBarrier",
    "workgroupUniformLoad",
    // Subgroup functions.
    "subgroupAdd", "subgroupAll", "subgroupAnd", "subgroupAny", "subgroupBallot",
    "subgroupBroadcast", "subgroupElect", "subgroupExclusiveAdd", "subgroupInclusiveAdd",
    "subgroupMul", "subgroupInclusiveMul", "subgroupExclusiveMul",
    "subgroupMax", "subgroupMin", "subgroupOr", "subgroupShuffle", "subgroupShuffleDown",
    "subgroupShuffleUp", "subgroupShuffleXor", "subgroupXor",
    // What our texts declare.
    "global_id", "local_id", "workgroup_id", "num_workgroups", "local_index", "lane",
    "subgroup_size", "launch",
};
// clang-format on

}  // namespace

std::span<const std::string_view> wgsl_reserved_words() {
  return kReserved;
}

}  // namespace vyre::wgpu
