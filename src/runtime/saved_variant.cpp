// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/saved_variant.h"

#include <algorithm>
#include <string_view>

#include "base/bytes.h"

namespace vyre {
namespace {

constexpr std::string_view kEmitterVersion =
#include "runtime/emitter_version.inc"
    ;

/// Bytes of a slot and of a launch word, at least.
constexpr std::size_t kLeast = 5;

void put(ByteWriter& writer, const Slot& slot) {
  writer.put(slot.source);
  writer.put(slot.binding);
  writer.put(slot.buffer);
  writer.put(slot.space);
  writer.put(slot.access);
  writer.put(slot.minimum);
  writer.put(slot.covered);
}

Slot get_slot(ByteReader& reader) {
  Slot slot;
  slot.source = reader.get<SlotSource>();
  slot.binding = reader.get<std::uint32_t>();
  slot.buffer = reader.get<BufferId>();
  slot.space = reader.get<Space>();
  slot.access = reader.get<Access>();
  slot.minimum = reader.get<std::uint64_t>();
  slot.covered = reader.get<std::uint8_t>() != 0;
  return slot;
}

LaunchWord get_word(ByteReader& reader) {
  LaunchWord word;
  word.field = reader.get<LaunchField>();
  word.buffer = reader.get<BufferId>();
  return word;
}

std::vector<std::uint32_t> get_words(ByteReader& reader) {
  std::vector<std::uint32_t> words(reader.get_count(sizeof(std::uint32_t)));
  for (std::uint32_t& word : words)
    word = reader.get<std::uint32_t>();
  return words;
}

bool fits(const SavedVariant& variant, std::size_t bindings) {
  return std::all_of(variant.slots.begin(), variant.slots.end(), [&](const Slot& slot) {
    switch (slot.source) {
      case SlotSource::host: return slot.binding < bindings;
      case SlotSource::constants: return slot.binding < variant.constants.size();
      case SlotSource::trap:
      case SlotSource::launch: return true;
    }
    return false;
  });
}

void add_line(std::string& key, std::string_view name, std::string_view value) {
  key += name;
  key += ' ';
  key += value;
  key += '\n';
}

void add_line(std::string& key, std::string_view name, std::uint64_t value) {
  add_line(key, name, std::to_string(value));
}

}  // namespace

std::vector<std::byte> to_bytes(const SavedVariant& variant) {
  ByteWriter writer;
  writer.put(std::uint64_t{variant.slots.size()});
  for (const Slot& slot : variant.slots)
    put(writer, slot);
  writer.put(std::uint64_t{variant.launch.size()});
  for (const LaunchWord& word : variant.launch) {
    writer.put(word.field);
    writer.put(word.buffer);
  }
  writer.put(std::uint64_t{variant.constants.size()});
  for (const auto& words : variant.constants) {
    writer.put(std::uint64_t{words.size()});
    for (const std::uint32_t word : words)
      writer.put(word);
  }
  writer.put(std::span(variant.kernel));
  return writer.take();
}

std::optional<SavedVariant> read_variant(std::span<const std::byte> bytes, std::size_t bindings) {
  ByteReader reader(bytes);
  SavedVariant variant;
  variant.slots.resize(reader.get_count(kLeast));
  for (Slot& slot : variant.slots)
    slot = get_slot(reader);
  variant.launch.resize(reader.get_count(kLeast));
  for (LaunchWord& word : variant.launch)
    word = get_word(reader);
  variant.constants.resize(reader.get_count(sizeof(std::uint64_t)));
  for (auto& words : variant.constants)
    words = get_words(reader);
  const auto kernel = reader.get_bytes();
  variant.kernel.assign(kernel.begin(), kernel.end());
  if (!reader.done() || !fits(variant, bindings)) return std::nullopt;
  return variant;
}

std::string variant_key(const Hash& program, const DeviceInfo& device, const Target& target) {
  std::string key;
  add_line(key, "kernel", to_string(program));
  add_line(key, "emitter", kEmitterVersion);
  add_line(key, "backend", device.backend);
  add_line(key, "device", device.name);
  add_line(key, "driver", device.driver);
  add_line(key, "target", target.name);
  for (const bool native :
       {target.native_memory, target.native_bounds, target.native_operators, target.native_control,
        target.native_loops, target.runs_idle_lanes, target.native_traps, target.native_lanes,
        target.native_launch, target.zeroes_workgroup, target.float_exact, target.strict_float})
    key += native ? '1' : '0';
  add_line(key, "fold", std::to_string(static_cast<int>(target.fold)));
  add_line(key, "loop turns", target.loop_turns);
  add_line(key, "endless turns", target.endless_turns);
  add_line(key, "grid", target.max_grid);
  add_line(key, "buffer bytes", target.max_buffer_bytes);
  add_line(key, "local bytes", target.max_local_bytes);
  add_line(key, "uniform bytes", target.max_uniform_bytes);
  add_line(key, "constant words", target.max_constant_words);
  add_line(key, "nesting", target.max_nesting);
  add_line(key, "statements", target.max_statements);
  return key;
}

}  // namespace vyre
