// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/saved_source.h"

#include "base/bytes.h"

namespace vyre::wgpu {
namespace {

KernelBinding get_binding(ByteReader& reader) {
  KernelBinding binding;
  binding.buffer = reader.get<BufferId>();
  binding.kind = reader.get<BindingKind>();
  binding.min_bytes = reader.get<std::uint64_t>();
  binding.name = reader.get_text();
  return binding;
}

bool is_known(BindingKind kind) {
  switch (kind) {
    case BindingKind::uniform:
    case BindingKind::read_only_storage:
    case BindingKind::storage: return true;
  }
  return false;
}

}  // namespace

std::vector<std::byte> to_bytes(const KernelSource& source) {
  ByteWriter writer;
  writer.put(std::string_view(source.text));
  writer.put(std::string_view(source.entry));
  writer.put(source.launch_words);
  writer.put(std::uint64_t{source.bindings.size()});
  for (const KernelBinding& binding : source.bindings) {
    writer.put(binding.buffer);
    writer.put(binding.kind);
    writer.put(binding.min_bytes);
    writer.put(std::string_view(binding.name));
  }
  return writer.take();
}

std::optional<KernelSource> read_source(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  KernelSource source;
  source.text = reader.get_text();
  source.entry = reader.get_text();
  source.launch_words = reader.get<std::uint32_t>();
  source.bindings.resize(reader.get_count(sizeof(std::uint64_t)));
  for (KernelBinding& binding : source.bindings) {
    binding = get_binding(reader);
    if (!is_known(binding.kind)) return std::nullopt;
  }
  if (!reader.done()) return std::nullopt;
  return source;
}

}  // namespace vyre::wgpu
