// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ir/layout.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// An access to several consecutive elements becomes one access for each.
namespace vyre {
namespace {

class Splitter : public Rewriter {
 public:
  explicit Splitter(const Program& from) : Rewriter(from), t_(to_) {}

 private:
  bool replace(StmtId, const Stmt& stmt) override {
    if (const auto* load = std::get_if<Load>(&stmt))
      return split(load->from, [&](unsigned i, const MemoryRef& ref) {
        bind(static_cast<ValueId>(index(load->first) + i), to_.load(ref));
      });
    if (const auto* load = std::get_if<UniformLoad>(&stmt))
      return split(load->from, [&](unsigned i, const MemoryRef& ref) {
        bind(static_cast<ValueId>(index(load->first) + i), to_.uniform_load(ref).front());
      });
    if (const auto* store = std::get_if<Store>(&stmt))
      return split(store->to, [&](unsigned i, const MemoryRef& ref) {
        to_.store(ref, map(store->values[i]));
      });
    return false;
  }

  template <typename F>
  bool split(const MemoryRef& ref, F access) {
    const auto address = resolve(from_, ref);
    if (!address || !address->consecutive) return false;
    MemoryRef element = ref;
    element.count = 1;
    map_path(element);
    const ExprId first = element.path.back().index;
    for (unsigned i = 0; i < ref.count; ++i) {
      element.path.back().index = i == 0 ? first : advanced(first, i);
      access(i, element);
    }
    return true;
  }

  /// An index that would wrap stays at the top, where no array has an element.
  ExprId advanced(ExprId first, unsigned by) {
    return t_.add(t_.op(Op::min, first, t_.u32(~by)), t_.u32(by));
  }

  Terms t_;
};

}  // namespace

Program split_elements(const Program& program) {
  return Splitter(program).run();
}

}  // namespace vyre
