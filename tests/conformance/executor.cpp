// SPDX-License-Identifier: MIT OR Apache-2.0
// The WebGPU conformance suite's executor: one JSON object a line in, one answer a line out.
// README.md beside the harness describes the protocol.
//   vyre-executor [DEVICE]
// DEVICE may also be `interpreter`: the reference, which is no device of the library.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "vyre/vyre.h"

#include "interpreter/interpreter.h"
#include "ir/layout.h"
#include "wgsl/module.h"

namespace {

using nlohmann::json;
using Bytes = std::vector<std::byte>;

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Bytes from_base64(std::string_view text) {
  static const auto values = [] {
    std::array<std::uint8_t, 256> table = {};
    for (std::size_t i = 0; i < kDigits.size(); ++i)
      table[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
    return table;
  }();
  Bytes bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | values[static_cast<unsigned char>(c)];
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count));
  }
  return bytes;
}

std::string to_base64(const Bytes& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8U | (i + k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= bytes.size() - i ? kDigits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

/// What an answer says when something failed.
struct Failure {
  std::string stage;
  std::string error;
};

bool is_unsupported(const vyre::Diagnostics& faults) {
  return std::all_of(faults.begin(), faults.end(), [](const vyre::Diagnostic& fault) {
    return fault.code == vyre::Code::not_supported || fault.code == vyre::Code::needs_capability;
  });
}

Failure failure_of(const vyre::Diagnostics& faults, std::string stage) {
  return {is_unsupported(faults) ? "unsupported" : std::move(stage), faults.to_string()};
}

json messages_of(const vyre::Diagnostics& faults) {
  json list = json::array();
  for (const vyre::Diagnostic& fault : faults)
    list.push_back({{"type", fault.severity == vyre::Severity::error ? "error" : "warning"},
                    {"message", fault.message},
                    {"lineNum", fault.place.line},
                    {"linePos", fault.place.column}});
  return list;
}

class Executor {
 public:
  /// Without a device it interprets.
  explicit Executor(std::optional<vyre::Device> device) : device_(std::move(device)) {}

  json answer(const json& request) {
    const std::string op = request.value("op", "");
    json reply = {{"id", request["id"]}, {"ok", true}};
    if (op == "info") {
      add_info(reply);
      return reply;
    }
    std::optional<Failure> failure = compile(request, reply);
    if (!failure && op == "pipeline") failure = pipeline(request);
    if (!failure && op == "run") failure = run(request, reply);
    if (failure) {
      reply["ok"] = false;
      reply["stage"] = failure->stage;
      reply["error"] = failure->error;
    }
    return reply;
  }

 private:
  void add_info(json& reply) const {
    const auto has = [&](vyre::Capability what) { return !device_ || device_->info().has(what); };
    reply["name"] = "vyre " + (device_ ? device_->info().selector() : "interpreter");
    reply["ops"] = {"info", "compile", "pipeline", "run"};
    reply["features"] = json::array();
    if (has(vyre::Capability::f16)) reply["features"].push_back("shader-f16");
    if (has(vyre::Capability::subgroups)) reply["features"].push_back("subgroups");
    reply["wgslLanguageFeatures"] = vyre::wgsl::kLanguageFeatures;
    reply["limits"] = json::object();
  }

  /// Those whose features the test did not ask for.
  static std::vector<std::string> refused_extensions(const json& request) {
    const json features = request.value("features", json::array());
    std::vector<std::string> refused;
    for (const auto& [extension, feature] : vyre::wgsl::kExtensions)
      if (std::find(features.begin(), features.end(), feature) == features.end())
        refused.emplace_back(extension);
    return refused;
  }

  std::optional<Failure> compile(const json& request, json& reply) {
    const std::string text = request.value("wgsl", "");
    const std::vector<std::string> refused = refused_extensions(request);
    const std::string key = json({text, refused}).dump(-1, ' ', false, kReplace);
    if (modules_.size() > kKept) modules_.clear();
    auto found = modules_.find(key);
    if (found == modules_.end())
      found = modules_.emplace(key, vyre::wgsl::check_module(text, refused)).first;
    const vyre::Diagnostics& faults = found->second;
    if (request["op"] == "compile") reply["messages"] = messages_of(faults);
    if (faults.has_errors()) return failure_of(faults, "compile");
    return std::nullopt;
  }

  std::optional<Failure> pipeline(const json& request) {
    const std::string text = request.value("wgsl", "");
    vyre::WgslOptions options;
    if (request.contains("entry") && request["entry"].is_string()) options.entry = request["entry"];
    if (request.contains("constants") && request["constants"].is_object())
      for (const auto& [name, value] : request["constants"].items())
        options.constants.emplace_back(name, value.get<double>());
    const std::string key = json({text, options.entry, request.value("constants", json())})
                                .dump(-1, ' ', false, kReplace);
    if (key != key_) {
      program_.reset();
      key_.clear();
      auto program = vyre::parse_wgsl(text, options);
      if (!program && !program.error().diagnostics().empty())
        return failure_of(program.error().diagnostics(), "pipeline");
      if (!program) return Failure{"pipeline", program.error().to_string()};
      key_ = key;
      program_ = *std::move(program);
    }
    return check_limits();
  }

  /// The limits that WebGPU gives to every device.
  std::optional<Failure> check_limits() const {
    const auto& size = program_->program().workgroup;
    const std::uint64_t all = std::uint64_t{size[0]} * size[1] * size[2];
    if (size[0] > 256 || size[1] > 256 || size[2] > 64 || all > 256)
      return Failure{"pipeline", "the workgroup is beyond the default limits"};
    std::uint64_t bytes = 0;
    for (const vyre::BufferDecl& buffer : program_->program().buffers)
      if (buffer.space == vyre::Space::workgroup)
        bytes += (program_->program().layout(buffer).size + 15) / 16 * 16;
    if (bytes > 16384) return Failure{"pipeline", "workgroup memory is beyond the default limit"};
    return std::nullopt;
  }

  std::optional<Failure> run(const json& request, json& reply) {
    if (auto failure = pipeline(request)) return failure;
    Bindings data;
    for (const json& binding : request["bindings"])
      data[{binding["group"], binding["binding"]}] =
          from_base64(binding["data"].get_ref<const std::string&>());
    vyre::DispatchOptions options;
    options.grid = request["workgroups"].get<std::array<std::uint32_t, 3>>();
    const auto& grid = *options.grid;
    if (std::find(grid.begin(), grid.end(), 0) == grid.end())
      if (auto failure = dispatch(data, options)) return failure;
    json bindings = json::array();
    for (const auto& [place, bytes] : data)
      bindings.push_back(
          {{"group", place.first}, {"binding", place.second}, {"data", to_base64(bytes)}});
    reply["bindings"] = std::move(bindings);
    return std::nullopt;
  }

  using Bindings = std::map<std::pair<std::uint32_t, std::uint32_t>, Bytes>;

  std::optional<Failure> dispatch(Bindings& data, const vyre::DispatchOptions& options) const {
    if (!device_) return interpret(data, *options.grid);
    const vyre::Program& program = program_->program();
    std::vector<vyre::Input> inputs;
    for (const vyre::BufferDecl& buffer : program.buffers) {
      if (buffer.space != vyre::Space::storage && buffer.space != vyre::Space::uniform) continue;
      const auto found = data.find({buffer.group, buffer.binding});
      if (found == data.end()) return Failure{"run", "no binding for " + buffer.name};
      const std::span<const std::byte> bytes = found->second;
      inputs.emplace_back(buffer.name, bytes.first(whole(program, buffer, bytes.size())));
    }
    const auto outputs = device_->dispatch(*program_, inputs, options);
    if (!outputs) return Failure{"run", outputs.error().to_string()};
    for (const vyre::BufferDecl& buffer : program.buffers) {
      if (!outputs->contains(buffer.name)) continue;
      const auto bytes = outputs->bytes(buffer.name);
      Bytes& target = data.at({buffer.group, buffer.binding});
      std::copy_n(bytes.begin(), std::min(bytes.size(), target.size()), target.begin());
    }
    return std::nullopt;
  }

  std::optional<Failure> interpret(Bindings& data, const std::array<std::uint32_t, 3>& grid) const {
    const vyre::Program& program = program_->program();
    std::vector<vyre::interpreter::BufferBytes> buffers(program.buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const vyre::BufferDecl& buffer = program.buffers[i];
      if (buffer.space != vyre::Space::storage && buffer.space != vyre::Space::uniform) continue;
      const auto found = data.find({buffer.group, buffer.binding});
      if (found == data.end()) return Failure{"run", "no binding for " + buffer.name};
      const std::size_t size = whole(program, buffer, found->second.size());
      const auto array = vyre::runtime_array(program, buffer);
      if (size < vyre::byte_size(program, buffer, 0))
        return Failure{"run", "the binding of " + buffer.name + " is too small"};
      buffers[i] = {std::span(found->second).first(size),
                    array ? (size - array->offset) / array->stride : 1};
    }
    vyre::interpreter::RunInputs inputs;
    inputs.grid = inputs.logical_grid = grid;
    inputs.buffers = buffers;
    const auto report = vyre::interpreter::interpret(program, inputs);
    if (report.trap.count != 0) return Failure{"run", "a trap"};
    if (report.divergence) return Failure{"run", "a divergent barrier"};
    return std::nullopt;
  }

  /// What a buffer takes of bytes that may have a rest behind its last whole element.
  static std::size_t whole(const vyre::Program& program,
                           const vyre::BufferDecl& buffer,
                           std::size_t bytes) {
    const auto array = vyre::runtime_array(program, buffer);
    if (!array) return std::min<std::size_t>(bytes, vyre::byte_size(program, buffer, 0));
    const std::size_t count = bytes < array->offset ? 0 : (bytes - array->offset) / array->stride;
    return array->offset + count * array->stride;
  }

  static constexpr std::size_t kKept = 256;
  static constexpr auto kReplace = json::error_handler_t::replace;

  std::optional<vyre::Device> device_;
  std::map<std::string, vyre::Diagnostics> modules_;
  std::string key_;
  std::optional<vyre::ValidProgram> program_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view which = argc > 1 ? argv[1] : "cpu";
  std::optional<vyre::Device> device;
  if (which != "interpreter") {
    auto opened = vyre::open(which);
    if (!opened) {
      std::cerr << opened.error().to_string() << '\n';
      return 3;
    }
    device = *std::move(opened);
  }
  Executor executor(std::move(device));
  for (std::string line; std::getline(std::cin, line);) {
    const json request = json::parse(line, nullptr, false);
    if (request.is_discarded()) continue;
    std::cout << executor.answer(request).dump(-1, ' ', false, json::error_handler_t::replace)
              << std::endl;
  }
}
