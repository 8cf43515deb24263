// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/job.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "cli/memory.h"
#include "cli/source.h"
#include "cli/texture.h"
#include "cli/types.h"
#include "cli/words.h"
#include "ir/layout.h"

namespace vyre::cli {
namespace {

/// COUNT of `-n NAME=COUNT`: a number, or the name of a buffer to be as long as.
struct CountWord {
  JobBuffer* of = nullptr;
  std::string text;
};

/// As opposed to what is meant as a number.
bool begins_name(std::string_view text) {
  return !text.empty() && std::string_view("0123456789+-.").find(text[0]) == std::string_view::npos;
}

class Preparation {
 public:
  Preparation(const Program& program, const JobWords& words, Job& job)
      : program_(program), words_(words), job_(job) {}

  std::vector<Error> run() && {
    for (const BufferDecl* buffer : host_buffers(program_))
      job_.buffers.push_back({buffer, false, {}, 0, 0});
    for (const std::string& word : words_.inputs)
      keep(read_input(word));
    for (const std::string& word : words_.counts)
      keep(read_count(word));
    for (JobBuffer& buffer : job_.buffers)
      keep(resolve_count(buffer));
    if (faults_.empty()) {
      for (const std::string& word : words_.members)
        keep(set_member(word));
    }
    if (faults_.empty()) {
      for (const JobBuffer& buffer : job_.buffers)
        keep(check_supplied(buffer));
    }
    if (faults_.empty()) keep(check_sizes());
    keep(read_grid());
    read_sinks();
    return std::move(faults_);
  }

 private:
  void keep(Status status) {
    if (!status) add(std::move(status).error());
  }

  /// Once, where several options name what is not there.
  void add(Error fault) {
    const auto told = [&](const Error& known) { return known.message() == fault.message(); };
    if (std::none_of(faults_.begin(), faults_.end(), told)) faults_.push_back(std::move(fault));
  }

  Result<JobBuffer*> find(std::string_view name) {
    VYRE_TRY(const BufferDecl* const found, find_buffer(program_, name));
    const auto at = std::find_if(job_.buffers.begin(), job_.buffers.end(),
                                 [&](const JobBuffer& b) { return b.buffer == found; });
    return &*at;
  }

  [[nodiscard]] std::string text(const JobBuffer& buffer) const {
    return described(program_, *buffer.buffer);
  }

  Status read_input(const std::string& word) {
    VYRE_TRY(const Pair pair, split_pair(word, "-i NAME=SOURCE"));
    VYRE_TRY(JobBuffer* const buffer, find(pair.name));
    if (buffer->supplied) return wrong("usage", text(*buffer) + " is given twice with -i");
    if (pair.value == "-" && std::exchange(standard_input_taken_, true)) {
      return wrong("usage", text(*buffer) +
                                " cannot be read from standard input, which another buffer takes");
    }
    buffer->supplied = true;
    VYRE_TRY(Supplied supplied, load_source(program_, *buffer->buffer, pair.value, words_.pad));
    buffer->bytes = std::move(supplied.bytes);
    buffer->padded = supplied.padded;
    return Ok{};
  }

  Status read_count(const std::string& word) {
    VYRE_TRY(Pair pair, split_pair(word, "-n NAME=COUNT"));
    VYRE_TRY(JobBuffer* const buffer, find(pair.name));
    if (!extent(program_, *buffer->buffer).runtime) {
      return wrong("fixed-size", text(*buffer) + " has a fixed size, which -n cannot set");
    }
    if (buffer->supplied) {
      return wrong("usage", text(*buffer) + " has its count from -i; -n cannot set it too");
    }
    if (count_word(buffer) != nullptr)
      return wrong("usage", text(*buffer) + " is given twice with -n");
    counts_.push_back({buffer, std::move(pair.value)});
    return Ok{};
  }

  const CountWord* count_word(const JobBuffer* buffer) const {
    for (const CountWord& word : counts_) {
      if (word.of == buffer) return &word;
    }
    return nullptr;
  }

  /// Sets the element count where it is known; a runtime-sized buffer of unknown count keeps 0.
  Status resolve_count(JobBuffer& buffer) {
    const Extent room = extent(program_, *buffer.buffer);
    if (!room.runtime) {
      buffer.count = static_count(program_, *buffer.buffer);
    } else if (buffer.supplied) {
      const std::uint64_t beyond =
          buffer.bytes.size() - std::min<std::uint64_t>(buffer.bytes.size(), room.fixed_bytes);
      buffer.count = beyond / room.stride;
    } else if (const CountWord* word = count_word(&buffer)) {
      VYRE_TRY(buffer.count, follow(*word));
    }
    return Ok{};
  }

  /// Follows names until a number or a buffer whose count is known.
  Result<std::uint64_t> follow(const CountWord& first) {
    const CountWord* word = &first;
    for (std::size_t steps = 0; steps <= counts_.size(); ++steps) {
      if (!word->text.empty() && word->text.find_first_not_of("0123456789") == std::string::npos) {
        return number_of(*word);
      }
      if (!begins_name(word->text)) {
        return wrong("bad-count", ticked(word->text) + " of -n " + word->of->buffer->name +
                                      " is neither a whole number nor a buffer's name");
      }
      VYRE_TRY(const JobBuffer* const other, find(word->text));
      const CountWord* next = count_word(other);
      if (next == nullptr) return count_of(*other, *word);
      word = next;
    }
    return wrong("bad-count",
                 "-n goes round in a circle at buffer " + ticked(first.of->buffer->name));
  }

  Result<std::uint64_t> number_of(const CountWord& word) {
    const auto number = parse_number(word.text);
    const std::uint64_t most = extent(program_, *word.of->buffer).max_count;
    if (number && *number <= most) return *number;
    return wrong("bad-count", text(*word.of) + " holds at most " + counted(most, "element") +
                                  ", but -n asks for " + word.text);
  }

  Result<std::uint64_t> count_of(const JobBuffer& other, const CountWord& word) {
    const Extent room = extent(program_, *other.buffer);
    if (!room.runtime) return std::uint64_t{static_count(program_, *other.buffer)};
    if (other.supplied)
      return (other.bytes.size() - std::min<std::uint64_t>(other.bytes.size(), room.fixed_bytes)) /
             room.stride;
    return wrong("missing-count",
                 text(*word.of) + " is to be as long as buffer " + ticked(other.buffer->name) +
                     ", whose count is not known",
                 "add -n " + other.buffer->name + "=COUNT or -i " + other.buffer->name + "=SOURCE");
  }

  [[nodiscard]] bool has_count(const JobBuffer& buffer) const {
    return !extent(program_, *buffer.buffer).runtime || buffer.supplied ||
           count_word(&buffer) != nullptr;
  }

  Status set_member(const std::string& word) {
    VYRE_TRY(const Pair pair, split_pair(word, "-s PATH=VALUE"));
    if (std::find(set_paths_.begin(), set_paths_.end(), pair.name) != set_paths_.end())
      return wrong("usage", ticked(pair.name) + " is given twice with -s");
    set_paths_.push_back(pair.name);
    const std::size_t end = std::min(pair.name.find_first_of(".["), pair.name.size());
    const std::string_view path = pair.name;
    VYRE_TRY(JobBuffer* const buffer, find(path.substr(0, end)));
    if (!has_count(*buffer)) return missing_count(*buffer);
    const std::uint64_t size = byte_size(program_, *buffer->buffer, buffer->count);
    if (buffer->bytes.size() < size) {
      VYRE_TRY(auto bytes, allocate_zeros(size, text(*buffer)));
      std::copy(buffer->bytes.begin(), buffer->bytes.end(), bytes.begin());
      buffer->bytes = std::move(bytes);
      buffer->supplied = true;
    }
    VYRE_TRY(const Part part,
             find_part(program_, *buffer->buffer, path.substr(end), buffer->count));
    Status done = set_part(program_, part, pair.value, buffer->count, buffer->bytes);
    if (!done) return wrong(done.error().code(), pair.name + ": " + done.error().message());
    return Ok{};
  }

  [[nodiscard]] Error missing_count(const JobBuffer& buffer) const {
    const std::string& name = buffer.buffer->name;
    return wrong("missing-count", text(buffer) + " has no size",
                 "add -n " + name + "=COUNT for zeros, or -i " + name + "=SOURCE");
  }

  Status check_supplied(const JobBuffer& buffer) {
    if (buffer.supplied) return Ok{};
    const std::string& name = buffer.buffer->name;
    if (!has_count(buffer) && comes_back(*buffer.buffer)) return missing_count(buffer);
    if (comes_back(*buffer.buffer)) return Ok{};
    const bool members = program_.layout(*buffer.buffer).kind == LayoutKind::structure;
    return wrong(
        "missing-input", text(buffer) + " is only read, but has no bytes",
        "add -i " + name + "=SOURCE" + (members ? " or -s " + name + ".MEMBER=VALUE" : ""));
  }

  Status check_sizes() {
    std::uint64_t total = 0;
    const JobBuffer* largest = nullptr;
    const auto size_of = [&](const JobBuffer& b) {
      return byte_size(program_, *b.buffer, b.count);
    };
    for (const JobBuffer& buffer : job_.buffers) {
      if (buffer.supplied) continue;  // their memory is already ours
      total += size_of(buffer);
      if (largest == nullptr || size_of(buffer) > size_of(*largest)) largest = &buffer;
    }
    return largest == nullptr ? Ok{} : check_memory(total, text(*largest));
  }

  static Result<std::array<std::uint32_t, 3>> parse_axes(std::string_view word,
                                                         std::string_view option) {
    const std::vector<std::string_view> pieces = split(word, ',');
    if (pieces.size() > 3)
      return wrong("bad-grid", std::string(option) + " takes one to three numbers, but " +
                                   ticked(word) + " has " + std::to_string(pieces.size()));
    std::array<std::uint32_t, 3> axes = {1, 1, 1};
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto number = parse_number(pieces[i]);
      if (!number || *number == 0 || *number > std::numeric_limits<std::uint32_t>::max()) {
        return wrong("bad-grid", ticked(pieces[i]) + " of " + std::string(option) +
                                     " is no number from 1 to 4294967295");
      }
      axes[i] = static_cast<std::uint32_t>(*number);
    }
    return axes;
  }

  Status read_grid() {
    const auto& workgroup = program_.workgroup;
    if (!words_.grid.empty() && !words_.threads.empty()) {
      return wrong("usage", "-g and --threads both say how much to run", "give one of them");
    }
    if (!words_.grid.empty()) {
      VYRE_TRY(job_.grid, parse_axes(words_.grid, "-g"));
    } else if (!words_.threads.empty()) {
      VYRE_TRY(auto axes, parse_axes(words_.threads, "--threads"));
      for (std::size_t i = 0; i < 3; ++i)
        axes[i] = (axes[i] - 1) / workgroup[i] + 1;
      job_.grid = axes;
    } else if (workgroup[1] != 1 || workgroup[2] != 1) {
      std::string size = std::to_string(workgroup[0]) + " by " + std::to_string(workgroup[1]);
      if (workgroup[2] != 1) size += " by " + std::to_string(workgroup[2]);
      return wrong("grid-missing", "a grid of workgroups of " + size + " cannot be inferred",
                   "add --threads X,Y for invocations, or -g X,Y for workgroups");
    }
    return Ok{};
  }

  Result<Sink> read_output(const std::string& word) {
    VYRE_TRY(Pair pair, split_pair(word, "-o NAME=FILE"));
    VYRE_TRY(const JobBuffer* const buffer, find(pair.name));
    if (comes_back(*buffer->buffer)) return Sink{buffer->buffer, std::move(pair.value), {}};
    std::vector<std::string> names;
    for (const JobBuffer& other : job_.buffers) {
      if (comes_back(*other.buffer)) names.push_back(other.buffer->name);
    }
    return wrong(
        "unknown-name",
        text(*buffer) + " is only read and does not come back; what comes back: " + listed(names));
  }

  Status read_shape(const std::string& word) {
    VYRE_TRY(const Pair pair, split_pair(word, "--shape NAME=H,W"));
    VYRE_TRY(const JobBuffer* const buffer, find(pair.name));
    VYRE_TRY(const auto shape, parse_shape(pair.value));
    const Sink* written = nullptr;
    bool used = false;
    for (Sink& sink : job_.sinks) {
      if (sink.buffer != buffer->buffer) continue;
      if (sink.rows) return wrong("usage", text(*buffer) + " is given twice with --shape");
      written = &sink;
      used = used || takes_shape(program_, sink);
    }
    for (Sink& sink : job_.sinks) {
      if (sink.buffer == buffer->buffer) sink.rows = shape;
    }
    if (used) return Ok{};
    if (written != nullptr) return no_shape(*buffer, written->file);
    return wrong("usage", "--shape names buffer " + ticked(pair.name) + ", which no -o writes",
                 "add -o " + pair.name + "=FILE.npy");
  }

  [[nodiscard]] Error no_shape(const JobBuffer& buffer, const std::string& file) const {
    if (texels_of(program_, *buffer.buffer))
      return wrong("usage", "--shape cannot set the shape of " + text(buffer) +
                                ", whose member `size` says it");
    return wrong("usage",
                 "--shape of " + text(buffer) + " is of no use: " +
                     (file == "-" ? "what is printed" : ticked(file)) + " has no shape",
                 "write a .npy or a .png");
  }

  /// Two buffers in one file would leave the last alone.  Devices and pipes take any number.
  Status check_file(const Sink& sink) {
    struct stat there = {};
    const bool special = ::stat(sink.file.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
    if (sink.file == "-" || special) return Ok{};
    for (const Sink& other : job_.sinks) {
      if (other.file != sink.file) continue;
      return wrong("usage", ticked(sink.file) + " of " + described(program_, *sink.buffer) +
                                " is written already, by " + described(program_, *other.buffer));
    }
    return Ok{};
  }

  void read_sinks() {
    const bool sizes_known = faults_.empty();
    for (const std::string& word : words_.outputs) {
      auto sink = read_output(word);
      if (!sink) {
        add(std::move(sink).error());
        continue;
      }
      keep(check_file(*sink));
      job_.sinks.push_back(*std::move(sink));
    }
    for (const std::string& word : words_.shapes)
      keep(read_shape(word));
    for (const Sink& sink : job_.sinks) {
      if (sizes_known) keep(check_sink(program_, sink, job_.of(*sink.buffer).count));
    }
  }

  const Program& program_;
  const JobWords& words_;
  Job& job_;
  std::vector<CountWord> counts_;
  std::vector<std::string> set_paths_;
  std::vector<Error> faults_;
  bool standard_input_taken_ = false;
};

}  // namespace

const JobBuffer& Job::of(const BufferDecl& buffer) const {
  return *std::find_if(buffers.begin(), buffers.end(),
                       [&](const JobBuffer& candidate) { return candidate.buffer == &buffer; });
}

std::vector<Error> prepare_job(const Program& program, const JobWords& words, Job& job) {
  return Preparation(program, words, job).run();
}

}  // namespace vyre::cli
