// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/report.h"

#include <cmath>
#include <variant>

#include <nlohmann/json.hpp>

#include "cli/timing.h"

namespace vyre::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Value& value) {
  const auto* real = std::get_if<double>(&value.number);
  if (value.type == ScalarType::boolean) return std::get<std::uint64_t>(value.number) != 0;
  // JSON has no such numbers: their text stands for them.
  if (real != nullptr && !std::isfinite(*real)) return to_text(value.type, value.number);
  return std::visit([](auto number) { return Json(number); }, value.number);
}

Json to_json(const Summary& summary, const Job& job) {
  Json json = {{"name", summary.name}, {"type", summary.type}, {"count", summary.count}};
  json["first"] = Json::array();
  for (const Value& value : summary.first)
    json["first"].push_back(to_json(value));
  if (summary.min) json["min"] = to_json(*summary.min);
  if (summary.max) json["max"] = to_json(*summary.max);
  if (summary.nans != 0) json["nans"] = summary.nans;
  for (const Sink& sink : job.sinks) {
    if (sink.buffer->name == summary.name) json["files"].push_back(sink.file);
  }
  return json;
}

Json to_json(const Timing& timing) {
  Json json = Json::object();
  for (const Phase& phase : phases(timing)) {
    if (phase.duration) json[std::string(phase.name) + "_ns"] = phase.duration->count();
  }
  return json;
}

Json to_json(const DeviceEntry& entry, bool is_auto) {
  Json json = {{"selector", entry.available ? entry.info.selector() : entry.info.backend},
               {"backend", entry.info.backend},
               {"available", entry.available}};
  if (!entry.available) {
    json["why"] = entry.why;
    json["how"] = entry.how;
    return json;
  }
  json["name"] = entry.info.name;
  json["driver"] = entry.info.driver;
  json["kind"] = to_string(entry.info.kind);
  json["capabilities"] = Json::array();
  for (const Capability capability : entry.info.capabilities)
    json["capabilities"].push_back(to_string(capability));
  json["auto"] = is_auto;
  return json;
}

/// Figures of the rounds in the unit of the row, and their median.
Json to_json(const bench::BenchResult& result, const std::vector<double>& rounds) {
  Json json = {{"median", figure(result, rounds)}};
  for (const double seconds : rounds)
    json["rounds"].push_back(figure(result, {seconds}));
  return json;
}

Json to_json(const bench::BenchResult& result) {
  Json json = {{"row", result.name}, {"work", result.work}, {"unit", unit_of(result)}};
  json["vyre"] = to_json(result, result.vyre);
  if (!result.baseline.empty()) {
    json["baseline"] = to_json(result, result.baseline);
    json["baseline"]["is"] = result.beside;
    json["ratio"] = *ratio(result, result.baseline);
  }
  if (!result.floor.empty()) {
    json["raw_vulkan"] = to_json(result, result.floor);
    json["raw_vulkan_ratio"] = *ratio(result, result.floor);
  }
  return json;
}

Json to_json(const bench::BenchCounts& counts) {
  return {{"dispatches", counts.dispatches},
          {"driver_allocations", counts.driver_allocations},
          {"heap_allocations", counts.heap_allocations},
          {"pool_hits", counts.pool_hits},
          {"binding_hits", counts.binding_hits},
          {"binding_misses", counts.binding_misses}};
}

void add_place(Json& json, const Place& place, const std::vector<Source>& sources) {
  if (!place.known()) return;
  if (place.file < sources.size()) json["file"] = sources[place.file].name;
  json["line"] = place.line;
  json["column"] = place.column;
  json["length"] = place.length;
}

std::string_view severity_text(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return {};
}

Json to_json(const Diagnostic& fault, const std::vector<Source>& sources) {
  Json json = {{"code", info(fault.code).name},
               {"severity", severity_text(fault.severity)},
               {"message", fault.message}};
  add_place(json, fault.place, sources);
  for (const Note& note : fault.notes) {
    Json entry = {{"message", note.message}};
    add_place(entry, note.place, sources);
    json["notes"].push_back(std::move(entry));
  }
  if (!fault.help.empty()) json["help"] = fault.help;
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string run_report(const Program& program,
                       const DeviceInfo& device,
                       const Job& job,
                       const Grid& grid,
                       std::span<const Summary> outputs,
                       const Timing& timing) {
  Json json;
  json["kernel"] = program.name;
  json["device"] = {
      {"selector", device.selector()}, {"name", device.name}, {"kind", to_string(device.kind)}};
  json["grid"] = {
      {"workgroups", grid.groups}, {"workgroup", program.workgroup}, {"inferred", grid.inferred}};
  json["outputs"] = Json::array();
  for (const Summary& summary : outputs)
    json["outputs"].push_back(to_json(summary, job));
  json["timing"] = to_json(timing);
  return text_of(json);
}

std::string check_report(const Diagnostics& faults, std::span<const CheckedEntry> entries) {
  Json json;
  json["faults"] = Json::array();
  for (const Diagnostic& fault : faults)
    json["faults"].push_back(to_json(fault, faults.sources()));
  json["entries"] = Json::array();
  for (const CheckedEntry& entry : entries) {
    Json one = {{"name", entry.name}, {"workgroup", entry.workgroup}};
    one["buffers"] = Json::array();
    for (const auto& [name, type] : entry.buffers)
      one["buffers"].push_back({{"name", name}, {"type", type}});
    json["entries"].push_back(std::move(one));
  }
  return text_of(json);
}

std::string devices_report(std::span<const DeviceEntry> entries, std::size_t chosen) {
  Json json;
  json["devices"] = Json::array();
  for (std::size_t i = 0; i < entries.size(); ++i)
    json["devices"].push_back(to_json(entries[i], i == chosen));
  if (chosen < entries.size()) json["auto"] = entries[chosen].info.selector();
  return text_of(json);
}

std::string bench_report(const bench::BenchReport& report) {
  Json json;
  json["device"] = {{"selector", report.device}, {"name", report.name}, {"driver", report.driver}};
  json["date"] = report.date;
  json["rows"] = Json::array();
  for (const bench::BenchResult& result : report.results)
    json["rows"].push_back(to_json(result));
  if (report.counts) json["steady_state"] = to_json(*report.counts);
  return text_of(json);
}

}  // namespace vyre::cli
