// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/result.h"

#include <algorithm>

#include "vyre/diagnostic.h"

#include "base/check.h"

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
  std::string help;
  std::vector<std::string> context = {};
  Diagnostics diagnostics = {};
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

Error::Error(ErrorKind kind, std::string_view code, std::string message, std::string help)
    : body_(new Body{kind, std::string(code), std::move(message), std::move(help)}) {}

Error::Error(Diagnostics diagnostics)
    : body_(new Body{
          ErrorKind::compile_failed, first_code(diagnostics), first_message(diagnostics), {}}) {
  body_->diagnostics = std::move(diagnostics);
}

Error::Error(const Error& other) : body_(new Body(*other.body_)) {}
Error& Error::operator=(const Error& other) {
  if (this != &other) body_ = std::make_unique<Body>(*other.body_);
  return *this;
}
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

ErrorKind Error::kind() const {
  return body_->kind;
}
const std::string& Error::code() const {
  return body_->code;
}
const std::string& Error::message() const {
  return body_->message;
}
const std::string& Error::help() const {
  return body_->help;
}
const std::vector<std::string>& Error::context() const {
  return body_->context;
}
const Diagnostics& Error::diagnostics() const {
  return body_->diagnostics;
}

Error&& Error::with(std::string doing) && {
  body_->context.push_back(std::move(doing));
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
  const bool faults = !body_->diagnostics.empty();
  std::string text = faults ? body_->diagnostics.to_string()
                            : "error[" + body_->code + "]: " + body_->message + "\n";
  for (const std::string& doing : body_->context)
    text += "  while " + doing + "\n";
  if (!body_->help.empty()) text += "  help: " + body_->help + "\n";
  text.pop_back();
  return text;
}

}  // namespace vyre
