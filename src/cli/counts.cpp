// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/counts.h"

#include <algorithm>
#include <utility>

#include "cli/npy.h"
#include "cli/texture.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

/// As opposed to what is meant as a number.
bool begins_name(std::string_view text) {
  return !text.empty() && std::string_view("0123456789+-.").find(text[0]) == std::string_view::npos;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Elements that lie behind what comes before the trailing array.
std::uint64_t elements_in(const Extent& room, std::uint64_t bytes) {
  return (bytes - std::min(bytes, room.fixed_bytes)) / room.stride;
}

std::optional<std::uint64_t> product(std::span<const std::uint64_t> rows) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : rows)
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  return count;
}

}  // namespace

std::vector<std::uint64_t> parse_size(std::string_view text) {
  const std::vector<std::string_view> pieces = split(text, 'x');
  std::vector<std::uint64_t> rows;
  if (pieces.size() < 2 || !std::all_of(pieces.begin(), pieces.end(), is_digits)) return rows;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece)
    rows.push_back(parse_number(*piece).value_or(~std::uint64_t{0}));
  return rows;
}

Result<JobBuffer*> Counts::find(std::string_view name) const {
  VYRE_TRY(const BufferDecl* const found, find_buffer(program_, name));
  return &*std::find_if(buffers_.begin(), buffers_.end(),
                        [&](const JobBuffer& b) { return b.buffer == found; });
}

Status Counts::take_word(JobBuffer& buffer, std::string word) {
  const std::string text = described(program_, *buffer.buffer);
  if (!extent(program_, *buffer.buffer).runtime)
    return wrong("fixed-size", text + " has a fixed size, which -n cannot set");
  if (buffer.supplied) return wrong("usage", text + " has its count from -i; -n cannot set it too");
  if (word_of(buffer) != nullptr) return wrong("usage", text + " is given twice with -n");
  words_.push_back({&buffer, std::move(word), {}});
  return Ok{};
}

void Counts::take_rows(JobBuffer& buffer, std::vector<std::uint64_t> rows) {
  if (!has(buffer)) words_.push_back({&buffer, {}, std::move(rows)});
}

const Counts::Word* Counts::word_of(const JobBuffer& buffer) const {
  for (const Word& word : words_)
    if (word.of == &buffer) return &word;
  return nullptr;
}

bool Counts::has(const JobBuffer& buffer) const {
  return !extent(program_, *buffer.buffer).runtime || buffer.supplied || word_of(buffer) != nullptr;
}

bool Counts::counts_by_rows(const JobBuffer& buffer) const {
  const Word* const word = word_of(buffer);
  return word != nullptr && !word->rows.empty();
}

Status Counts::resolve(JobBuffer& buffer) const {
  const Extent room = extent(program_, *buffer.buffer);
  const Word* const word = word_of(buffer);
  if (!room.runtime)
    buffer.count = static_count(program_, *buffer.buffer);
  else if (buffer.supplied)
    buffer.count = elements_in(room, buffer.bytes.size());
  else if (word != nullptr)
    return follow(buffer, *word);
  return Ok{};
}

/// Follows names until a number or a buffer whose count is known.
Status Counts::follow(JobBuffer& buffer, const Word& first) const {
  const Word* word = &first;
  for (std::size_t steps = 0; steps <= words_.size(); ++steps) {
    if (!word->rows.empty() || !parse_size(word->text).empty()) return set_rows(buffer, *word);
    if (is_digits(word->text)) return set_number(buffer, *word);
    if (!begins_name(word->text)) {
      return wrong("bad-count", ticked(word->text) + " of -n " + word->of->buffer->name +
                                    " is neither a whole number nor a buffer's name");
    }
    VYRE_TRY(const JobBuffer* const other, find(word->text));
    const Word* const next = word_of(*other);
    if (next == nullptr) return copy_from(buffer, *other);
    word = next;
  }
  return wrong("bad-count",
               "-n goes round in a circle at buffer " + ticked(first.of->buffer->name));
}

Status Counts::copy_from(JobBuffer& buffer, const JobBuffer& other) const {
  const Extent room = extent(program_, *other.buffer);
  if (other.supplied || !room.runtime) {
    buffer.count = room.runtime ? elements_in(room, other.bytes.size())
                                : std::uint64_t{static_count(program_, *other.buffer)};
    buffer.rows = texture_rows(program_, *other.buffer, other.bytes);
    return Ok{};
  }
  const std::string& name = other.buffer->name;
  return wrong("missing-count",
               described(program_, *buffer.buffer) + " is to be as long as buffer " + ticked(name) +
                   ", whose count is not known",
               "add -n " + name + "=COUNT or -i " + name + "=SOURCE");
}

Status Counts::set_number(JobBuffer& buffer, const Word& word) const {
  const auto number = parse_number(word.text);
  if (!number || *number > extent(program_, *buffer.buffer).max_count) return beyond(buffer, word);
  buffer.count = *number;
  return Ok{};
}

Status Counts::set_rows(JobBuffer& buffer, const Word& word) const {
  buffer.rows = word.rows.empty() ? parse_size(word.text) : word.rows;
  const auto count = product(buffer.rows);
  if (!count || *count > extent(program_, *buffer.buffer).max_count) return beyond(buffer, word);
  buffer.count = *count;
  if (texels_of(program_, *buffer.buffer) && buffer.rows.size() != 2) {
    return wrong("wrong-shape", described(program_, *buffer.buffer) +
                                    " has a width and a height, but is to have shape " +
                                    shape_text(buffer.rows));
  }
  return Ok{};
}

Error Counts::beyond(const JobBuffer& buffer, const Word& word) const {
  const std::uint64_t most = extent(program_, *buffer.buffer).max_count;
  const std::string asked =
      word.rows.empty() ? "-n asks for " + word.text : "its shape is " + shape_text(word.rows);
  return wrong("bad-count", described(program_, *buffer.buffer) + " holds at most " +
                                counted(most, "element") + ", but " + asked);
}

}  // namespace vyre::cli
