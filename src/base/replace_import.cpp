// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <sys/mman.h>

#include "base/shared_library.h"

// A loaded ELF library finds the functions of others in slots that the loader filled.
namespace vyre {
namespace {

using Address = ElfW(Addr);

/// The parts of the dynamic section that lead to the slots.
struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  struct Slots {
    const ElfW(Rela) * begin = nullptr;
    std::size_t bytes = 0;
  };
  Slots data = {};
  Slots calls = {};
};

/// Loaders differ in whether they add the library's base to the addresses here.
template <typename T>
const T* at(const link_map& map, Address address) {
  return reinterpret_cast<const T*>(address < map.l_addr ? map.l_addr + address : address);
}

Tables tables_of(const link_map& map) {
  Tables tables;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const Address address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) tables.symbols = at<ElfW(Sym)>(map, address);
    if (entry->d_tag == DT_STRTAB) tables.names = at<char>(map, address);
    if (entry->d_tag == DT_RELA) tables.data.begin = at<ElfW(Rela)>(map, address);
    if (entry->d_tag == DT_RELASZ) tables.data.bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_JMPREL) tables.calls.begin = at<ElfW(Rela)>(map, address);
    if (entry->d_tag == DT_PLTRELSZ) tables.calls.bytes = entry->d_un.d_val;
  }
  return tables;
}

bool write_slot(void** slot, void* value) {
  const auto page = static_cast<Address>(::sysconf(_SC_PAGESIZE));
  const Address begin = reinterpret_cast<Address>(slot) & ~(page - 1);
  // The loader made the page read-only when it was done with it; a slot never spans two.
  if (::mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE) != 0) return false;
  *slot = value;
  return true;
}

bool replace_in(const link_map& map,
                const Tables& tables,
                const Tables::Slots& slots,
                const char* name,
                void* instead) {
  bool replaced = false;
  const std::size_t count = slots.bytes / sizeof(ElfW(Rela));
  for (std::size_t i = 0; slots.begin != nullptr && i < count; ++i) {
    const std::size_t symbol = ELF64_R_SYM(slots.begin[i].r_info);
    if (symbol == 0 || slots.begin[i].r_addend != 0) continue;  // a place within this library
    if (std::strcmp(tables.names + tables.symbols[symbol].st_name, name) != 0) continue;
    auto** const slot = reinterpret_cast<void**>(map.l_addr + slots.begin[i].r_offset);
    replaced = write_slot(slot, instead) || replaced;
  }
  return replaced;
}

}  // namespace

bool SharedLibrary::replace_import(const char* name, void* instead) const {
  if constexpr (sizeof(void*) != 8) return false;  // relocations without addends
  link_map* map = nullptr;
  if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return false;
  const Tables tables = tables_of(*map);
  if (tables.symbols == nullptr || tables.names == nullptr) return false;
  const bool in_data = replace_in(*map, tables, tables.data, name, instead);
  return replace_in(*map, tables, tables.calls, name, instead) || in_data;
}

}  // namespace vyre
