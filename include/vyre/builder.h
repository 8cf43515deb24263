// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vyre/program.h"
#include "vyre/validate.h"

/// Programs written in C++.
///
///     vyre::Builder b("saxpy", {.workgroup = 256});
///     auto x = b.input<float>("x");
///     auto y = b.in_out<float>("y");
///     auto a = b.uniform<float>("a");
///     auto i = b.global_id();
///     b.if_(i < y.length(), [&] { y[i] = a * x[i] + y[i]; });
///     auto program = b.build();
///
/// A `Value` is one scalar of the program, computed when the kernel runs; operators on values build
/// expressions.  An `Element` (`x[i]`) and a `Variable` are places: they are read where they are
/// turned into a `Value`, so write `vyre::Value v = x[i];` to keep what was there.  Nothing is
/// checked before `build`, which reports every fault.  A builder owns its program; its handles
/// refer to it and must not outlive it.  One thread at a time.  Nothing here throws: where the host
/// has no memory for a part, the builder takes no more, and `build` says so.
namespace vyre {

class Builder;
class Assembler;

/// A scalar of the program, or a literal that takes its place in one.
class Value {
 public:
  Value(bool literal) : type_(ScalarType::boolean), bits_(literal ? 1 : 0) {}  // NOLINT
  Value(std::int32_t literal);                                                 // NOLINT
  Value(std::uint32_t literal) : type_(ScalarType::u32), bits_(literal) {}     // NOLINT
  Value(std::int64_t literal);                                                 // NOLINT
  Value(std::uint64_t literal) : type_(ScalarType::u64), bits_(literal) {}     // NOLINT
  Value(float literal);                                                        // NOLINT
  Value(double literal) : Value(static_cast<float>(literal)) {}                // NOLINT
  Value(Builder* builder, ExprId id, ScalarType type) : builder_(builder), id_(id), type_(type) {}

  [[nodiscard]] ScalarType type() const { return type_; }
  /// True if this is a literal that no builder has seen.
  [[nodiscard]] bool is_literal() const { return builder_ == nullptr; }
  [[nodiscard]] Builder* builder() const { return builder_; }
  [[nodiscard]] ExprId id() const { return id_; }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }

 private:
  Builder* builder_ = nullptr;
  ExprId id_ = kNone<ExprId>;
  ScalarType type_;
  std::uint64_t bits_ = 0;
};

/// Applies `op`; literals adapt to the builder and, if they are i32, to the other operands' type.
Value apply(Op op, std::initializer_list<Value> operands);
/// Value conversion, and reinterpretation of the same bits.
Value convert(ScalarType to, const Value& value);
Value bitcast(ScalarType to, const Value& value);
template <typename T>
Value convert(const Value& value) {
  return convert(ScalarOf<T>::value, value);
}
template <typename T>
Value bitcast(const Value& value) {
  return bitcast(ScalarOf<T>::value, value);
}

inline Value operator-(const Value& a) {
  return apply(Op::neg, {a});
}
inline Value operator~(const Value& a) {
  return apply(Op::bit_not, {a});
}
inline Value operator!(const Value& a) {
  return apply(Op::logical_not, {a});
}
inline Value operator+(const Value& a, const Value& b) {
  return apply(Op::add, {a, b});
}
inline Value operator-(const Value& a, const Value& b) {
  return apply(Op::sub, {a, b});
}
inline Value operator*(const Value& a, const Value& b) {
  return apply(Op::mul, {a, b});
}
inline Value operator/(const Value& a, const Value& b) {
  return apply(Op::div, {a, b});
}
inline Value operator%(const Value& a, const Value& b) {
  return apply(Op::rem, {a, b});
}
inline Value operator&(const Value& a, const Value& b) {
  return apply(Op::bit_and, {a, b});
}
inline Value operator|(const Value& a, const Value& b) {
  return apply(Op::bit_or, {a, b});
}
inline Value operator^(const Value& a, const Value& b) {
  return apply(Op::bit_xor, {a, b});
}
inline Value operator<<(const Value& a, const Value& b) {
  return apply(Op::shl, {a, b});
}
inline Value operator>>(const Value& a, const Value& b) {
  return apply(Op::shr, {a, b});
}
inline Value operator==(const Value& a, const Value& b) {
  return apply(Op::eq, {a, b});
}
inline Value operator!=(const Value& a, const Value& b) {
  return apply(Op::ne, {a, b});
}
inline Value operator<(const Value& a, const Value& b) {
  return apply(Op::lt, {a, b});
}
inline Value operator<=(const Value& a, const Value& b) {
  return apply(Op::le, {a, b});
}
inline Value operator>(const Value& a, const Value& b) {
  return apply(Op::gt, {a, b});
}
inline Value operator>=(const Value& a, const Value& b) {
  return apply(Op::ge, {a, b});
}
/// Both sides are evaluated: expressions have no effects.
inline Value operator&&(const Value& a, const Value& b) {
  return apply(Op::logical_and, {a, b});
}
inline Value operator||(const Value& a, const Value& b) {
  return apply(Op::logical_or, {a, b});
}

/// The other operators of the catalogue, by name: `vyre::ops::min(a, b)`, `ops::sqrt(x)`, …
namespace ops {
#define UNARY(name, ...)              \
  inline Value name(const Value& a) { \
    return apply(Op::name, {a});      \
  }
#define BINARY(name, ...)                             \
  inline Value name(const Value& a, const Value& b) { \
    return apply(Op::name, {a, b});                   \
  }
#define TERNARY(name, ...)                                            \
  inline Value name(const Value& a, const Value& b, const Value& c) { \
    return apply(Op::name, {a, b, c});                                \
  }
#include "vyre/ops.def"
}  // namespace ops

/// A place in memory that holds one scalar: read when it becomes a Value, written by assignment.
class Element {
 public:
  Element(Builder* builder, MemoryRef ref) : builder_(builder), ref_(std::move(ref)) {}
  operator Value() const { return load(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] Value load() const;
  const Element& operator=(const Value& value) const;
  Element(const Element& other);
  Element(Element&&) = default;
  const Element& operator=(const Element& other) const { return *this = other.load(); }
  ~Element() = default;

  /// A step further into a vector or nested array, or to a member by name.
  [[nodiscard]] Element operator[](const Value& index) const;
  [[nodiscard]] Element member(std::string_view name) const;

  /// `count` consecutive elements or components, from this one on; none where the host has no
  /// memory for them.
  [[nodiscard]] std::vector<Value> load_many(std::uint8_t count) const;
  void store_many(std::span<const Value> values) const;

  /// Atomic operations; each yields the old value.
  [[nodiscard]] Value atomic(AtomicOp op, const Value& value) const;
  Value atomic_add(const Value& value) const { return atomic(AtomicOp::add, value); }
  Value atomic_exchange(const Value& value) const { return atomic(AtomicOp::exchange, value); }
  Value atomic_compare_exchange(const Value& comparand, const Value& value) const;
  [[nodiscard]] Value atomic_load() const;
  void atomic_store(const Value& value) const;
  /// Barrier, load, barrier.
  [[nodiscard]] Value uniform_load() const;

 private:
  Builder* builder_;
  MemoryRef ref_;
};

/// A buffer or an array of workgroup, local or constant memory.
class Memory {
 public:
  Memory(Builder* builder, BufferId id) : builder_(builder), id_(id) {}
  [[nodiscard]] Element operator[](const Value& index) const;
  [[nodiscard]] Element member(std::string_view name) const;
  /// The root itself, if it is a scalar, an atomic or a vector.
  [[nodiscard]] Element root() const { return {builder_, MemoryRef{.buffer = id_}}; }
  operator Value() const { return root().load(); }  // NOLINT(google-explicit-constructor)
  /// Exact element count of the root or trailing array.
  [[nodiscard]] Value length() const;
  [[nodiscard]] BufferId id() const { return id_; }

  // Attributes, to be chained on a declaration.
  Memory& at(std::uint32_t group, std::uint32_t binding);
  Memory& window(std::uint64_t begin, std::uint64_t end);
  Memory& same_length_as(const Memory& other);

 private:
  Builder* builder_;
  BufferId id_;
};

/// A mutable scalar local: read when it becomes a Value, written by assignment.
class Variable {
 public:
  Variable(Builder* builder, VarId id) : builder_(builder), id_(id) {}
  operator Value() const { return get(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] Value get() const;
  const Variable& operator=(const Value& value) const;
  Variable(const Variable&) = default;
  const Variable& operator=(const Variable& other) const { return *this = other.get(); }
  ~Variable() = default;
  const Variable& operator+=(const Value& value) const { return *this = get() + value; }
  const Variable& operator-=(const Value& value) const { return *this = get() - value; }
  const Variable& operator*=(const Value& value) const { return *this = get() * value; }

 private:
  Builder* builder_;
  VarId id_;
};

struct KernelOptions {
  /// Invocations of a workgroup along x, y and z.
  struct Size {
    std::array<std::uint32_t, 3> xyz = {1, 1, 1};
    Size(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) : xyz{x, y, z} {}  // NOLINT
  };
  Size workgroup = 64;
};

class Builder {
 public:
  using Body = std::function<void()>;

  explicit Builder(std::string name, KernelOptions options = {});
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder();

  // ---- memory.  `count` 0: runtime-sized.  Bindings are given in order of declaration.
  Memory buffer(std::string name, Access access, ScalarType element, std::uint32_t count = 0);
  template <typename T>
  Memory input(std::string name, std::uint32_t count = 0) {
    return buffer(std::move(name), Access::input, ScalarOf<T>::value, count);
  }
  template <typename T>
  Memory in_out(std::string name, std::uint32_t count = 0) {
    return buffer(std::move(name), Access::in_out, ScalarOf<T>::value, count);
  }
  template <typename T>
  Memory output(std::string name, std::uint32_t count = 0) {
    return buffer(std::move(name), Access::output, ScalarOf<T>::value, count);
  }
  template <typename T>
  Memory scratch(std::string name, std::uint32_t count) {
    return buffer(std::move(name), Access::scratch, ScalarOf<T>::value, count);
  }
  /// One scalar, read as a Value.
  template <typename T>
  Memory uniform(std::string name) {
    return uniform(std::move(name), ScalarOf<T>::value);
  }
  Memory uniform(std::string name, ScalarType type);
  /// An array of atomics, which are integers.
  Memory atomics(std::string name, Access access, ScalarType type, std::uint32_t count = 0);
  Memory workgroup(std::string name, ScalarType element, std::uint32_t count);
  Memory workgroup_atomics(std::string name, ScalarType type, std::uint32_t count);
  Memory local(std::string name, ScalarType element, std::uint32_t count);
  template <typename T>
  Memory workgroup(std::string name, std::uint32_t count) {
    return workgroup(std::move(name), ScalarOf<T>::value, count);
  }
  template <typename T>
  Memory local(std::string name, std::uint32_t count) {
    return local(std::move(name), ScalarOf<T>::value, count);
  }
  Memory constant(std::string name, ScalarType element, std::vector<std::uint32_t> words);

  /// Members of a struct, in order; offsets as WGSL lays them out.
  struct Member {
    std::string name;
    ScalarType type;
    std::uint8_t width = 1;   ///< 2, 3, 4: a vector
    std::uint32_t count = 1;  ///< more than 1: an array; 0: runtime-sized, last member only
    bool atomic = false;
  };
  Memory structure(std::string name, Space space, Access access, std::vector<Member> members);

  // ---- values
  [[nodiscard]] Value global_id(std::uint8_t axis = 0) { return builtin(Builtin::global_id, axis); }
  [[nodiscard]] Value local_id(std::uint8_t axis = 0) { return builtin(Builtin::local_id, axis); }
  [[nodiscard]] Value workgroup_id(std::uint8_t axis = 0) {
    return builtin(Builtin::workgroup_id, axis);
  }
  [[nodiscard]] Value num_workgroups(std::uint8_t axis = 0) {
    return builtin(Builtin::num_workgroups, axis);
  }
  [[nodiscard]] Value local_index() { return builtin(Builtin::local_index, 0); }
  Value constant(ScalarType type, std::uint64_t bits);
  /// Computes the value here, once.
  Value let(const Value& value);
  Variable var(const Value& init);
  Variable var(ScalarType type);

  // ---- control
  void if_(const Value& condition, const Body& then_body, const Body& else_body = {});
  /// Repeats until `break_`; `continuing` runs after each round, `continue_` jumps to it.
  void loop(const Body& body, const Body& continuing = {});
  void while_(const std::function<Value()>& condition, const Body& body);
  /// begin, begin + step, … while below end, u32 or i32.
  void for_(const Value& begin,
            const Value& end,
            const std::function<void(Value)>& body,
            const Value& step = 1);
  struct Arm {
    std::vector<std::uint32_t> values;
    Body body;
  };
  void switch_(const Value& selector, std::vector<Arm> arms, const Body& otherwise = {});
  /// A block that `leave(handle)` exits forward.
  void scope(const std::function<void(BlockId)>& body);
  void leave(BlockId scope);
  void break_();
  void continue_();
  void return_();

  // ---- other lanes
  void workgroup_barrier();
  void storage_barrier();
  /// Ends the dispatch with an error that carries `text` and `value` (u32).
  void trap(std::string text, const Value& value = 0u);
  /// Traps unless `condition` holds.
  void assert_(const Value& condition, std::string text, const Value& value = 0u);

  /// The program as it stands, unchecked; the builder is empty afterwards.  Without the memory for
  /// it, an empty program.
  Program finish();
  /// The validated program; the builder is empty afterwards.
  Result<ValidProgram> build();

  /// For parts that the methods above do not cover.
  Assembler& assembler() { return *assembler_; }
  /// The expression of a value; a literal becomes a constant, of type `like` if it is an i32.
  ExprId expr(const Value& value);
  ExprId expr(const Value& value, ScalarType like);

 private:
  friend struct BuilderGuard;
  Value builtin(Builtin builtin, std::uint8_t axis);
  Memory declare(BufferDecl buffer);
  Memory declare_array(BufferDecl buffer, ScalarType element, std::uint32_t count);
  Memory declare_atomics(BufferDecl buffer, ScalarType type, std::uint32_t count);
  BlockId block(const Body& body);
  Program take();

  std::unique_ptr<Assembler> assembler_;
  std::uint32_t next_binding_ = 0;
  bool starved_ = false;  ///< the host had no memory for some part
};

}  // namespace vyre
