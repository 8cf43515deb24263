// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <vector>

#include "ir/layout.h"
#include "validate/checks.h"
#include "validate/layouts.h"
#include "validate/memory.h"
#include "validate/validate.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMaxWorkgroup = std::uint64_t{1} << 32;

bool is_bound(const BufferDecl& buffer) {
  return buffer.space == Space::storage || buffer.space == Space::uniform;
}

class Declarations {
 public:
  explicit Declarations(Inspection& inspection)
      : inspection_(inspection), program_(inspection.program), faults_(inspection.faults) {}

  void run() {
    workgroup();
    if (!inspection_.lowered) limits();
    traits_ = check_layouts(inspection_);
    for (at_ = 0; at_ < program_.buffers.size(); ++at_)
      buffer(program_.buffers[at_]);
    same_lengths();
    if (!inspection_.lowered) collisions();
  }

 private:
  void workgroup() {
    const auto& size = program_.workgroup;
    const std::string shown = text("(", size[0], ", ", size[1], ", ", size[2], ")");
    if (size[0] == 0 || size[1] == 0 || size[2] == 0) {
      faults_.add(Code::bad_workgroup_size, text("the workgroup ", shown, " has no invocations"));
      return;
    }
    const std::uint64_t area = std::uint64_t{size[0]} * size[1];
    if (area > kMaxWorkgroup || area * size[2] > kMaxWorkgroup)
      faults_.add(Code::bad_workgroup_size,
                  text("the workgroup ", shown, " has more than ", kMaxWorkgroup, " invocations"));
  }

  void limits() {
    if (program_.stmts.size() > kMaxStatements)
      faults_.add(Code::internal_limit, text("the program has ", program_.stmts.size(),
                                             " statements; the limit is ", kMaxStatements));
  }

  // ---- one buffer

  Diagnostic& fault(Code code, std::string_view what) {
    return faults_.add(code, text("buffer ", quoted(program_.buffers[at_].name), " ", what));
  }
  Diagnostic& fault(std::string_view what) { return fault(Code::bad_buffer, what); }

  void buffer(const BufferDecl& buffer) {
    const LayoutTraits& traits = traits_[index(buffer.layout)];
    const Layout& layout = program_.layout(buffer);
    if (traits.runtime && buffer.space != Space::storage)
      fault(text("is ", to_string(buffer.space), " memory, but has no static size"));
    if (traits.narrow && (buffer.space != Space::storage || layout.kind != LayoutKind::array))
      fault("holds a narrow type, but is no array in storage memory");
    if (traits.atomic) atomics(buffer);
    if (buffer.space == Space::uniform && buffer.access != Access::input)
      fault(text("is uniform memory, but has the access ", to_string(buffer.access)));
    if (buffer.space == Space::local && layout.size > kMaxLocalBytes)
      fault(Code::local_too_large, text("is private to each invocation and has ", layout.size,
                                        " bytes; the limit is ", kMaxLocalBytes));
    words(buffer, layout);
    window(buffer, traits.runtime ? ~std::uint64_t{0} : layout.size);
  }

  void atomics(const BufferDecl& buffer) {
    const bool allowed =
        buffer.space == Space::workgroup || (buffer.space == Space::storage && is_writable(buffer));
    if (!allowed)
      fault(Code::atomic_access,
            text("holds atomics, but is ", is_bound(buffer) ? "read-only " : "",
                 to_string(buffer.space), " memory"));
  }

  void words(const BufferDecl& buffer, const Layout& layout) {
    // Lowering keeps the words of constants that it moves to storage.
    const bool moved = inspection_.lowered && buffer.space == Space::storage;
    if (buffer.space != Space::constant) {
      if (!buffer.words.empty() && !moved)
        fault(text("has contents, but is ", to_string(buffer.space), " memory"));
      return;
    }
    if ((layout.size + 3) / 4 != buffer.words.size())
      fault(text("has ", buffer.words.size(), " words for a layout of ", layout.size, " bytes"));
  }

  void window(const BufferDecl& buffer, std::uint64_t size) {
    const Window& window = buffer.window;
    if (window == Window{}) return;
    const bool returns = buffer.space == Space::storage &&
                         (buffer.access == Access::in_out || buffer.access == Access::output);
    if (!returns) fault("has a window, but does not come back to the host");
    const std::uint64_t end = window.end == Window{}.end ? size : window.end;
    if (window.begin > end || end > size)
      fault(text("has the window ", window.begin, " … ", end, " of ", size, " bytes"));
  }

  // ---- buffers together

  void same_lengths() {
    // Each link is followed once: 0 not seen, 1 on the present chain, 2 done.
    std::vector<std::uint8_t> state(program_.buffers.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
      link(i);
      follow(i, state);
    }
  }
  void link(std::size_t i) {
    const BufferDecl& buffer = program_.buffers[i];
    if (buffer.same_length_as == kNone<BufferId>) return;
    at_ = i;
    if (buffer.space != Space::storage || buffer.access != Access::output ||
        !runtime_array(program_, buffer))
      fault("takes its length from another one, but is no runtime-sized output");
    if (!runtime_array(program_, program_[buffer.same_length_as]))
      fault(text("takes its length from ", named(program_, buffer.same_length_as),
                 ", which is not runtime-sized"));
  }
  void follow(std::size_t i, std::vector<std::uint8_t>& state) {
    std::vector<std::size_t> chain;
    while (state[i] == 0) {
      state[i] = 1;
      chain.push_back(i);
      if (program_.buffers[i].same_length_as == kNone<BufferId>) break;
      i = index(program_.buffers[i].same_length_as);
      if (state[i] != 1) continue;
      at_ = i;
      fault("takes its length, through others, from itself");
    }
    for (const std::size_t done : chain)
      state[done] = 2;
  }

  void collisions() {
    std::vector<std::uint32_t> bound;
    for (std::uint32_t i = 0; i < program_.buffers.size(); ++i)
      if (is_bound(program_.buffers[i])) bound.push_back(i);
    const auto binding = [&](std::uint32_t i) {
      const BufferDecl& b = program_.buffers[i];
      return std::uint64_t{b.group} << 32 | b.binding;
    };
    const auto name = [&](std::uint32_t i) -> const std::string& {
      return program_.buffers[i].name;
    };
    for_each_pair(bound, binding, [&](const BufferDecl& a, const BufferDecl& b) {
      faults_.add(Code::duplicate_binding,
                  text("buffers ", quoted(a.name), " and ", quoted(b.name), " both have group ",
                       a.group, ", binding ", a.binding));
    });
    for_each_pair(bound, name, [&](const BufferDecl& a, const BufferDecl&) {
      faults_.add(Code::duplicate_name, text("more than one buffer has the name ", quoted(a.name)));
    });
  }
  /// Calls `report` for the neighbours with equal keys, in the order of declaration.
  template <typename Key, typename Report>
  void for_each_pair(std::vector<std::uint32_t> ids, Key key, Report report) {
    std::stable_sort(ids.begin(), ids.end(), [&](auto a, auto b) { return key(a) < key(b); });
    for (std::size_t i = 1; i < ids.size(); ++i)
      if (key(ids[i - 1]) == key(ids[i]))
        report(program_.buffers[ids[i - 1]], program_.buffers[ids[i]]);
  }

  Inspection& inspection_;
  const Program& program_;
  Faults& faults_;
  std::vector<LayoutTraits> traits_;
  std::size_t at_ = 0;  ///< the buffer being checked
};

}  // namespace

void check_declarations(Inspection& inspection) {
  Declarations(inspection).run();
}

}  // namespace vyre
