// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Outcomes of calls that the world can refuse: no device, no memory, bad arguments.
///
/// A `Result<T>` holds a value or an `Error`; its member names are those of `std::expected`.
/// Nothing here throws.  `Error` is one pointer wide; copies share what they say and allocate
/// nothing, and any thread may read them.  An error for which the host has no memory becomes
/// `host_memory`; one that was moved from has the code `empty-handle`.  Faults in a *program*
/// travel as `Diagnostics` inside an `Error`.
namespace vyre {

class Diagnostics;

enum class ErrorKind : std::uint8_t {
  invalid_argument,  ///< the call or its data is wrong
  unsupported,       ///< legal, but this device or version cannot do it
  unavailable,       ///< no such device or library here
  out_of_memory,
  device_lost,
  timeout,
  trapped,         ///< the kernel stopped itself
  compile_failed,  ///< the program is faulty, or a driver refused what we emitted
  io,
};

/// "invalid_argument", "timeout", …
std::string_view to_string(ErrorKind kind);

class Error {
 public:
  /// `code` is a stable kebab-case word such as "buffer-length"; `message` names the thing and
  /// the numbers (lower case, no full stop); `help` says what to change, and may be empty.
  Error(ErrorKind kind, std::string_view code, std::string message, std::string help = {});
  /// An error that carries the faults of a program.
  explicit Error(Diagnostics diagnostics);
  /// The host has no memory for what a call needs.  Made without any.
  static Error host_memory() noexcept;

  Error(const Error& other) noexcept;
  Error& operator=(const Error& other) noexcept;
  Error(Error&& other) noexcept;
  Error& operator=(Error&& other) noexcept;
  ~Error();

  [[nodiscard]] ErrorKind kind() const;
  [[nodiscard]] const std::string& code() const;
  [[nodiscard]] const std::string& message() const;
  [[nodiscard]] const std::string& help() const;
  /// What was being done, innermost first: "compiling kernel `scan`".
  [[nodiscard]] const std::vector<std::string>& context() const;
  /// The faults of the program; empty unless the error came from one.
  [[nodiscard]] const Diagnostics& diagnostics() const;

  /// Adds one "while …" line, if there is memory for it.
  Error&& with(std::string doing) &&;

  /// "error[code]: message", then "  while …" lines and "  help: …"; without the memory for it
  /// "out of memory".
  [[nodiscard]] std::string to_string() const;

 private:
  struct Body;
  explicit Error(Body* body) noexcept : body_(body) {}
  template <typename... Parts>
  static Body* make(Parts&&... parts) noexcept;
  static Body* shared(Body* body) noexcept;
  static Body* host_memory_body();
  static Body* moved_from_body();
  [[nodiscard]] const Body& body() const;

  Body* body_;  ///< shared, counted; null: moved from
};

/// What becomes of a program that uses a result without a look at it: one line on standard error,
/// with the error's text (null: there is a value, and its error was asked for), and `abort`.
[[noreturn]] void misused(const Error* error);

/// A value or an error.  `value`, `*` and `->` of an error, and `error` of a value, end the program
/// with a line that says which error it was.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  [[nodiscard]] T& value() & { return const_cast<T&>(checked()); }
  [[nodiscard]] const T& value() const& { return checked(); }
  [[nodiscard]] T&& value() && { return std::move(const_cast<T&>(checked())); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] Error& error() & { return const_cast<Error&>(checked_error()); }
  [[nodiscard]] const Error& error() const& { return checked_error(); }
  [[nodiscard]] Error&& error() && { return std::move(const_cast<Error&>(checked_error())); }

 private:
  [[nodiscard]] const T& checked() const {
    if (const T* const value = std::get_if<0>(&state_)) [[likely]]
      return *value;
    misused(std::get_if<1>(&state_));
  }
  [[nodiscard]] const Error& checked_error() const {
    if (const Error* const error = std::get_if<1>(&state_)) return *error;
    misused(nullptr);
  }

  std::variant<T, Error> state_;
};

struct Ok {};
/// Success without a value.
using Status = Result<Ok>;

}  // namespace vyre

#define VYRE_CONCAT_(a, b) a##b
#define VYRE_CONCAT(a, b) VYRE_CONCAT_(a, b)
#define VYRE_TRY_(decl, tmp, expr)         \
  auto tmp = (expr);                       \
  if (!tmp) return std::move(tmp).error(); \
  decl = *std::move(tmp)
/// `VYRE_TRY(auto x, f());` — binds the value of `f()`, or returns its error.
#define VYRE_TRY(decl, expr) VYRE_TRY_(decl, VYRE_CONCAT(vyre_try_, __LINE__), expr)
/// The same for a `Status`, whose value is of no interest.
#define VYRE_CHECK_OK(expr) \
  if (auto vyre_status = (expr); !vyre_status) return std::move(vyre_status).error()
