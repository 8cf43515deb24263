// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/builtins.h"

namespace vyre::wgsl {
namespace {

constexpr Builtin kBuiltins[] = {
#define ELEMENTWISE(name, params, domain, op) \
  {#name, How::elementwise, params, 'T', Domain::domain, Shape::any, op},
#define EXPANDED(name, params, result, domain, shape) \
  {#name, How::expanded, params, result, Domain::domain, Shape::shape, Op::add, Function::name},
#define MATRIX(name) \
  {#name, How::matrix, {}, 'T', Domain::none, Shape::any, Op::add, Function::name},
#define STATEMENT(name) \
  {#name, How::statement, {}, 'T', Domain::none, Shape::any, Op::add, Function::name},
#define TEXTURE(name) \
  {#name, How::texture, {}, 'T', Domain::none, Shape::any, Op::add, Function::name},
#define SUBGROUP(name, operation, argument, domain) \
  {#name,                                           \
   How::subgroup,                                   \
   {},                                              \
   'T',                                             \
   Domain::domain,                                  \
   Shape::any,                                      \
   Op::add,                                         \
   Function::name,                                  \
   LaneArgument::argument,                          \
   SubgroupOp::operation},
#define DERIVATIVE(name) {#name, How::derivative},
#define UNSUPPORTED(name) {#name},
#include "wgsl/builtins.def"
};

std::string_view describe(Domain domain) {
  switch (domain) {
    case Domain::none: return "";
    case Domain::numeric: return "numeric";
    case Domain::floating: return "floating point";
    case Domain::integer: return "integer";
    case Domain::word: return "32-bit integer";
    case Domain::signed_: return "signed";
    case Domain::boolean: return "boolean";
    case Domain::scalar: return "";
    case Domain::f32: return "f32";
    case Domain::i32: return "i32";
    case Domain::u32: return "u32";
  }
  return {};
}

std::string_view describe(Shape shape) {
  switch (shape) {
    case Shape::any: return "scalar or vector";
    case Shape::vector: return "vector";
    case Shape::two: return "vector of 2";
    case Shape::three: return "vector of 3";
    case Shape::four: return "vector of 4";
  }
  return {};
}

std::string_view describe_param(char param) {
  switch (param) {
    case 'T': return "T";
    case 'S': return "the scalar of T";
    case 'B': return "the bool shape of T";
    case 'b': return "bool";
    case 'u': return "u32";
    case 'U': return "the u32 shape of T";
    default: return "the i32 shape of T";
  }
}

}  // namespace

std::span<const Builtin> all_builtins() {
  return kBuiltins;
}

std::string describe(const Builtin& builtin) {
  std::string text = "(";
  for (const char param : builtin.params)
    text += (text.size() == 1 ? "" : ", ") + std::string(describe_param(param));
  text += ")";
  if (builtin.domain == Domain::none) return text;
  text += " with T a ";
  if (const std::string_view domain = describe(builtin.domain); !domain.empty())
    text += std::string(domain) + " ";
  return text + std::string(describe(builtin.shape));
}

}  // namespace vyre::wgsl
