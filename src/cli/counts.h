// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/program.h"
#include "vyre/result.h"

#include "cli/job.h"

/// How many elements a buffer has that comes without bytes, and in which rows they lie.
///
///     -n NAME=COUNT    a number, WIDTHxHEIGHT, or another buffer's name, whose rows it takes too
///     --shape, and the size of a texture that -s sets: as good as a count where -n gives none
namespace vyre::cli {

/// "256x192" as (192, 256); empty if the text is no such size.
std::vector<std::uint64_t> parse_size(std::string_view text);

class Counts {
 public:
  /// All must outlive it.
  Counts(const Program& program, std::vector<JobBuffer>& buffers)
      : program_(program), buffers_(buffers) {}

  /// The buffer of this name; an error lists what there is.
  Result<JobBuffer*> find(std::string_view name) const;

  /// Of `-n`.
  Status take_word(JobBuffer& buffer, std::string word);
  /// Rows that some other option gives, outermost first; the first to speak counts.
  void take_rows(JobBuffer& buffer, std::vector<std::uint64_t> rows);

  /// True where nothing is missing: the type, bytes or a word fix the count.
  [[nodiscard]] bool has(const JobBuffer& buffer) const;
  /// True where the rows that were taken decide the count.
  [[nodiscard]] bool counts_by_rows(const JobBuffer& buffer) const;

  /// Sets the count and its rows where they are known; a runtime-sized buffer of unknown count
  /// keeps 0.
  Status resolve(JobBuffer& buffer) const;

 private:
  /// What an option says of the count of a buffer.
  struct Word {
    JobBuffer* of = nullptr;
    std::string text;                 ///< of -n
    std::vector<std::uint64_t> rows;  ///< of the others
  };

  [[nodiscard]] const Word* word_of(const JobBuffer& buffer) const;
  [[nodiscard]] Status follow(JobBuffer& buffer, const Word& first) const;
  [[nodiscard]] Status copy_from(JobBuffer& buffer, const JobBuffer& other) const;
  [[nodiscard]] Status set_number(JobBuffer& buffer, const Word& word) const;
  [[nodiscard]] Status set_rows(JobBuffer& buffer, const Word& word) const;
  [[nodiscard]] Error beyond(const JobBuffer& buffer, const Word& word) const;

  const Program& program_;
  std::vector<JobBuffer>& buffers_;
  std::vector<Word> words_;
};

}  // namespace vyre::cli
