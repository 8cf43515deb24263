// SPDX-License-Identifier: MIT OR Apache-2.0
#include "validate/memory.h"

namespace vyre {
namespace {

std::string_view noun(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::scalar: return "a scalar";
    case LayoutKind::atomic: return "an atomic";
    case LayoutKind::vector: return "a vector";
    case LayoutKind::array: return "an array";
    case LayoutKind::structure: return "a struct";
  }
  return "nothing";
}

/// Follows a path, spelling it, up to the step that does not fit.
class Path {
 public:
  Path(const Program& program, const MemoryRef& ref)
      : program_(program), ref_(ref), at_(program[ref.buffer].layout) {
    spelled_ = program[ref.buffer].name;
  }

  /// What is wrong with a path that does not resolve.
  std::string why() {
    for (std::size_t i = 0; i < ref_.path.size(); ++i) {
      const Layout& here = program_[at_];
      const Step& step = ref_.path[i];
      if (here.kind == LayoutKind::vector && step.kind == Step::Kind::index) {
        if (i + 1 < ref_.path.size())
          return text(spelled(), " is a vector, whose components have no parts");
        break;
      }
      if (!follow(step)) return refused(step);
    }
    return leaf();
  }

 private:
  std::string spelled() const { return quoted(spelled_); }

  bool follow(const Step& step) {
    const Layout& here = program_[at_];
    if (step.kind == Step::Kind::member) {
      if (here.kind != LayoutKind::structure || step.member >= here.members.size()) return false;
      at_ = here.members[step.member].layout;
      spelled_ += "." + here.members[step.member].name;
      return true;
    }
    if (here.kind != LayoutKind::array) return false;
    at_ = here.element;
    spelled_ += "[…]";
    return true;
  }

  std::string refused(const Step& step) const {
    const Layout& here = program_[at_];
    if (step.kind == Step::Kind::index)
      return text(spelled(), " is ", noun(here.kind), ", which takes no index");
    if (here.kind != LayoutKind::structure)
      return text(spelled(), " is ", noun(here.kind), ", which has no members");
    return text(spelled(), " has ", here.members.size(), " members; member ", step.member,
                " is named");
  }

  std::string leaf() const {
    const Layout& here = program_[at_];
    if (here.kind == LayoutKind::structure || here.kind == LayoutKind::array)
      return text("the path to ", spelled(), " ends at ", noun(here.kind));
    return text(ref_.count, " components from ", ref_.first, " on are named of ", spelled(),
                ", which is ", noun(here.kind), " of width ", here.width);
  }

  const Program& program_;
  const MemoryRef& ref_;
  LayoutId at_;
  std::string spelled_;
};

void check_use(Inspection& inspection,
               StmtId at,
               const MemoryRef& ref,
               const Address& address,
               MemoryUse use) {
  const BufferDecl& buffer = inspection.program[ref.buffer];
  const std::string name = named(inspection.program, ref.buffer);
  const bool writes = use == MemoryUse::store || use == MemoryUse::atomic;
  if (writes && !is_writable(buffer))
    inspection.faults.add(Code::read_only_memory, at, name + " is written, but is read-only");
  const bool atomic = address.kind == LayoutKind::atomic;
  if (atomic && use != MemoryUse::atomic && use != MemoryUse::uniform_load)
    inspection.faults.add(
        Code::atomic_access, at,
        text("an atomic of ", name, " is ", use == MemoryUse::store ? "stored to" : "loaded",
             " without an atomic operation"));
  if (!atomic && use == MemoryUse::atomic)
    inspection.faults.add(
        Code::atomic_access, at,
        text("an atomic operation acts on ", name, ", where no atomic is declared"));
  if (use == MemoryUse::uniform_load && buffer.space != Space::workgroup)
    inspection.faults.add(Code::bad_operand, at,
                          text("a uniform load reads ", name, ", which is ",
                               to_string(buffer.space), " memory and not workgroup memory"));
}

}  // namespace

bool is_writable(const BufferDecl& buffer) {
  switch (buffer.space) {
    case Space::storage: return buffer.access != Access::input;
    case Space::uniform:
    case Space::constant: return false;
    case Space::workgroup:
    case Space::local: return true;
  }
  return false;
}

std::optional<Address> check_memory(Inspection& inspection,
                                    StmtId at,
                                    const MemoryRef& ref,
                                    MemoryUse use) {
  auto address = resolve(inspection.program, ref);
  if (address)
    check_use(inspection, at, ref, *address, use);
  else
    inspection.faults.add(Code::bad_path, at, Path(inspection.program, ref).why());
  return address;
}

}  // namespace vyre
