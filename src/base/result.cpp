// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/result.h"

#include <algorithm>
#include <atomic>

#include "vyre/diagnostic.h"

#include "base/check.h"
#include "base/guarded.h"
#include "base/render.h"

namespace vyre {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return "invalid_argument";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::unavailable: return "unavailable";
    case ErrorKind::out_of_memory: return "out_of_memory";
    case ErrorKind::device_lost: return "device_lost";
    case ErrorKind::timeout: return "timeout";
    case ErrorKind::trapped: return "trapped";
    case ErrorKind::compile_failed: return "compile_failed";
    case ErrorKind::io: return "io";
  }
  return "unknown";
}

struct Error::Body {
  ErrorKind kind;
  std::string code;
  std::string message;
  std::string help = {};
  std::vector<std::string> context = {};
  Diagnostics diagnostics = {};
  std::atomic<std::uint32_t> references = 1;

  Body(ErrorKind of, std::string_view name, std::string text, std::string remedy)
      : kind(of), code(name), message(std::move(text)), help(std::move(remedy)) {}
  explicit Body(Diagnostics faults);
  Body(const Body& other)
      : kind(other.kind),
        code(other.code),
        message(other.message),
        help(other.help),
        context(other.context),
        diagnostics(other.diagnostics) {}
};

namespace {

std::string first_message(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::error) return diagnostic.message;
  }
  return "the program is faulty";
}

std::string first_code(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::error) return std::string(info(diagnostic.code).name);
  }
  return "faulty-program";
}

}  // namespace

Error::Body::Body(Diagnostics faults)
    : kind(ErrorKind::compile_failed),
      code(first_code(faults)),
      message(first_message(faults)),
      diagnostics(std::move(faults)) {}

// Bodies that are there before anything can fail, and are never let go.

Error::Body* Error::host_memory_body() {
  static Body* const kBody =
      new Body(ErrorKind::out_of_memory, "host-memory",
               "the host has no memory left for what the call needs",
               "free memory, or give the call less to do; the device is as usable as before");
  return kBody;
}

Error::Body* Error::moved_from_body() {
  static Body* const kBody = new Body(ErrorKind::invalid_argument, "empty-handle",
                                      "the error was moved from, and has nothing to say any more",
                                      "ask the error that it was moved to");
  return kBody;
}

/// A new body, or the one that needs no memory.
template <typename... Parts>
Error::Body* Error::make(Parts&&... parts) noexcept {
  return guarded([&] { return new Body(std::forward<Parts>(parts)...); },
                 [] { return shared(host_memory_body()); });
}

Error::Body* Error::shared(Body* body) noexcept {
  if (body != nullptr) body->references.fetch_add(1, std::memory_order_relaxed);
  return body;
}

Error Error::host_memory() noexcept {
  static const bool kBothAreThere = moved_from_body() != nullptr;
  return Error(kBothAreThere ? shared(host_memory_body()) : nullptr);
}

/// When the program starts there is memory.
[[maybe_unused]] static const Error kMadeEarly = Error::host_memory();

Error::Error(ErrorKind kind, std::string_view code, std::string message, std::string help)
    : body_(make(kind, code, std::move(message), std::move(help))) {}
Error::Error(Diagnostics diagnostics) : body_(make(std::move(diagnostics))) {}

Error::Error(const Error& other) noexcept : body_(shared(other.body_)) {}
Error& Error::operator=(const Error& other) noexcept {
  return *this = Error(other);
}
Error::Error(Error&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
Error& Error::operator=(Error&& other) noexcept {
  Error taken(std::move(other));
  std::swap(body_, taken.body_);
  return *this;
}
Error::~Error() {
  if (body_ != nullptr && body_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete body_;
}

const Error::Body& Error::body() const {
  return body_ != nullptr ? *body_ : *moved_from_body();
}
ErrorKind Error::kind() const {
  return body().kind;
}
const std::string& Error::code() const {
  return body().code;
}
const std::string& Error::message() const {
  return body().message;
}
const std::string& Error::help() const {
  return body().help;
}
const std::vector<std::string>& Error::context() const {
  return body().context;
}
const Diagnostics& Error::diagnostics() const {
  return body().diagnostics;
}

/// Others that share the body do not see the line.
Error&& Error::with(std::string doing) && {
  guarded(
      [&] {
        if (body_ == nullptr || body_->references.load(std::memory_order_acquire) != 1)
          *this = Error(new Body(body()));
        body_->context.push_back(std::move(doing));
      },
      [] {});
  return std::move(*this);
}

void misused(const Error* error) {
  if (error == nullptr) end_program("vyre: a call succeeded, and its error was asked for");
  std::string line = "vyre: a call failed, and its value was used: error[" + error->code() +
                     "]: " + error->message();
  if (!error->help().empty()) line += "; help: " + error->help();
  std::replace(line.begin(), line.end(), '\n', ' ');
  end_program(line);
}

std::string Error::to_string() const {
  return guarded(
      [&] {
        const bool faults = !diagnostics().empty();
        std::string text =
            faults ? render(diagnostics()) : "error[" + code() + "]: " + message() + "\n";
        for (const std::string& doing : context())
          text += "  while " + doing + "\n";
        if (!help().empty()) text += "  help: " + help() + "\n";
        text.pop_back();
        return text;
      },
      [] { return std::string(kNoMemoryText); });
}

}  // namespace vyre
