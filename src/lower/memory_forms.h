// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "vyre/program.h"

#include "ir/assembler.h"
#include "lower/lower.h"

/// How each buffer of a program is declared for a text target.
namespace vyre {

class MemoryForms {
 public:
  MemoryForms(const Program& program, const Target& target);

  /// True if the buffer becomes an array of u32, addressed by words.
  [[nodiscard]] bool in_words(BufferId id) const { return form(id).words; }
  /// True if those words are atomic: lanes may store to parts of the same one.
  [[nodiscard]] bool in_atomic_words(BufferId id) const { return form(id).atomic; }
  /// Changes the declaration of `id` in `to`.
  void declare(Assembler& to, BufferId id) const;

 private:
  struct Form {
    bool words = false;
    bool atomic = false;
    bool read_only_storage = false;
  };
  [[nodiscard]] const Form& form(BufferId id) const { return forms_[index(id)]; }
  void note_layouts();
  void choose(BufferId id, const Target& target);
  void note_narrow_stores();
  [[nodiscard]] bool has_special_floats(const BufferDecl& buffer) const;
  [[nodiscard]] bool fits_uniform(const Layout& layout) const;
  [[nodiscard]] LayoutId words_layout(Assembler& to, const BufferDecl& buffer, bool atomic) const;
  LayoutId without_booleans(Assembler& to, LayoutId id) const;

  struct Traits {
    bool narrow = false;
    bool boolean = false;
    bool uniform = true;    ///< may lie in uniform memory
    bool two_rows = false;  ///< holds a matrix of two rows
  };
  [[nodiscard]] const Traits& traits(LayoutId id) const { return traits_[index(id)]; }

  const Program& program_;
  std::vector<Traits> traits_;
  std::vector<Form> forms_;
};

}  // namespace vyre
