// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/job.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "cli/counts.h"
#include "cli/memory.h"
#include "cli/source.h"
#include "cli/texture.h"
#include "cli/types.h"
#include "cli/words.h"
#include "ir/layout.h"

namespace vyre::cli {
namespace {

struct Shape {
  JobBuffer* of = nullptr;
  std::vector<std::uint64_t> rows;
};

bool is_there(const std::string& file) {
  return ::access(file.c_str(), F_OK) == 0;
}

class Preparation {
 public:
  Preparation(const Program& program, const JobWords& words, Job& job)
      : program_(program), words_(words), job_(job), counts_(program, job.buffers) {}

  std::vector<Error> run() && {
    for (const BufferDecl* buffer : host_buffers(program_))
      job_.buffers.push_back({buffer, false, {}, 0, 0});
    for (const std::string& word : words_.inputs)
      keep(read_input(word));
    for (const std::string& word : words_.counts)
      keep(read_count(word));
    for (const std::string& word : words_.shapes)
      keep(read_shape(word));
    for (const std::string& word : words_.members)
      note_texture_size(word);
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

  [[nodiscard]] std::string text(const JobBuffer& buffer) const {
    return described(program_, *buffer.buffer);
  }

  Status read_input(const std::string& word) {
    VYRE_TRY(const Pair pair, split_pair(word, "-i NAME=SOURCE"));
    VYRE_TRY(JobBuffer* const buffer, counts_.find(pair.name));
    if (buffer->supplied) return wrong("usage", text(*buffer) + " is given twice with -i");
    if (pair.value == "-") VYRE_CHECK_OK(take_standard_input(*buffer));
    buffer->supplied = true;
    VYRE_TRY(Supplied supplied, load_source(program_, *buffer->buffer, pair.value, words_.pad));
    buffer->bytes = std::move(supplied.bytes);
    buffer->padded = supplied.padded;
    return Ok{};
  }

  Status take_standard_input(const JobBuffer& buffer) {
    const bool kernel =
        std::find(words_.kernels.begin(), words_.kernels.end(), "-") != words_.kernels.end();
    if (!kernel && !std::exchange(standard_input_taken_, true)) return Ok{};
    return wrong("usage", text(buffer) + " cannot be read from standard input, which " +
                              (kernel ? "the kernel" : "another buffer") + " takes");
  }

  Status read_count(const std::string& word) {
    VYRE_TRY(Pair pair, split_pair(word, "-n NAME=COUNT"));
    VYRE_TRY(JobBuffer* const buffer, counts_.find(pair.name));
    return counts_.take_word(*buffer, std::move(pair.value));
  }

  Status read_shape(const std::string& word) {
    VYRE_TRY(const Pair pair, split_pair(word, "--shape NAME=H,W"));
    VYRE_TRY(JobBuffer* const buffer, counts_.find(pair.name));
    VYRE_TRY(auto rows, parse_shape(pair.value));
    shapes_.push_back({buffer, rows});
    counts_.take_rows(*buffer, std::move(rows));
    return Ok{};
  }

  /// `-s t.size=W,H` of a texture is as good as a count.
  void note_texture_size(const std::string& word) {
    const auto pair = split_pair(word, "");
    if (!pair || !has_ending(pair->name, ".size")) return;
    const auto buffer = counts_.find(pair->name.substr(0, pair->name.rfind('.')));
    if (!buffer || !texels_of(program_, *(*buffer)->buffer)) return;
    const auto size = parse_shape(pair->value);
    if (size && size->size() == 2) counts_.take_rows(**buffer, {(*size)[1], (*size)[0]});
  }

  /// A texture whose rows are known has its bytes with them: zeros, and its size.
  Status resolve_count(JobBuffer& buffer) {
    VYRE_CHECK_OK(counts_.resolve(buffer));
    if (buffer.supplied || buffer.rows.size() != 2 || !texels_of(program_, *buffer.buffer))
      return Ok{};
    VYRE_TRY(buffer.bytes, make_texture(program_, *buffer.buffer, buffer.rows));
    buffer.supplied = true;
    return Ok{};
  }

  Status set_member(const std::string& word) {
    VYRE_TRY(const Pair pair, split_pair(word, "-s PATH=VALUE"));
    if (std::find(set_paths_.begin(), set_paths_.end(), pair.name) != set_paths_.end())
      return wrong("usage", ticked(pair.name) + " is given twice with -s");
    set_paths_.push_back(pair.name);
    const std::size_t end = std::min(pair.name.find_first_of(".["), pair.name.size());
    const std::string_view path = pair.name;
    VYRE_TRY(JobBuffer* const buffer, counts_.find(path.substr(0, end)));
    if (!counts_.has(*buffer)) return missing_count(*buffer);
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
    const std::string& name = buffer.buffer->name;
    const bool is_texture = texels_of(program_, *buffer.buffer).has_value();
    if (is_texture && comes_back(*buffer.buffer))
      return check_texture(program_, *buffer.buffer, buffer.bytes);
    if (buffer.supplied) return Ok{};
    if (!counts_.has(buffer) && comes_back(*buffer.buffer)) return missing_count(buffer);
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
    VYRE_TRY(const JobBuffer* const buffer, counts_.find(pair.name));
    if (comes_back(*buffer->buffer)) return Sink{buffer->buffer, std::move(pair.value), {}};
    std::vector<std::string> names;
    for (const JobBuffer& other : job_.buffers) {
      if (comes_back(*other.buffer)) names.push_back(other.buffer->name);
    }
    return wrong(
        "unknown-name",
        text(*buffer) + " is only read and does not come back; what comes back: " + listed(names));
  }

  /// A shape is for the count, for a file, or for nothing: that is a fault.
  Status use_shape(const Shape& shape) {
    const BufferDecl* const of = shape.of->buffer;
    for (const Shape& other : shapes_) {
      if (&other == &shape) break;
      if (other.of == shape.of)
        return wrong("usage", text(*shape.of) + " is given twice with --shape");
    }
    const Sink* written = nullptr;
    bool used = counts_.counts_by_rows(*shape.of) || texels_of(program_, *of);
    for (Sink& sink : job_.sinks) {
      if (sink.buffer != of) continue;
      sink.rows = shape.rows;
      written = &sink;
      used = used || takes_shape(program_, sink);
    }
    if (used) return Ok{};
    if (written == nullptr) {
      return wrong("usage", "--shape names buffer " + ticked(of->name) + ", which no -o writes",
                   "add -o " + of->name + "=FILE.npy");
    }
    return wrong("usage",
                 "--shape of " + text(*shape.of) + " is of no use: " +
                     (written->file == "-" ? "what is printed" : ticked(written->file)) +
                     " has no shape",
                 "write a .npy, a .csv or a .png");
  }

  /// Two buffers in one file would leave the last alone.  Devices and pipes take any number.
  Status check_file(const Sink& sink) {
    const auto file = identity_of(sink.file);
    if (sink.file == "-" || !file) return Ok{};
    const std::string of = ticked(sink.file) + " of " + described(program_, *sink.buffer);
    for (const Sink& other : job_.sinks) {
      if (other.file == "-" || identity_of(other.file) != file) continue;
      return wrong("usage", of + " is written already, by " + described(program_, *other.buffer));
    }
    for (const std::string& kernel : words_.kernels) {
      if (identity_of(kernel) == file)
        return wrong("usage", of + " is the kernel that runs", "give the output another name");
    }
    return check_inputs(sink, *file, of);
  }

  /// A buffer may replace the file that it came from, as a state does; not that of another.
  Status check_inputs(const Sink& sink, const FileIdentity& file, const std::string& of) {
    for (const std::string& word : words_.inputs) {
      const auto input = split_pair(word, "");
      if (!input || input->name == sink.buffer->name || !is_there(input->value)) continue;
      if (identity_of(input->value) != file) continue;
      return wrong("usage",
                   of + " is the file that buffer " + ticked(input->name) + " is read from",
                   "give the output another name");
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
    for (Sink& sink : job_.sinks) {
      const JobBuffer& of = job_.of(*sink.buffer);
      if (!of.rows.empty() && takes_shape(program_, sink)) sink.rows = of.rows;
    }
    for (const Shape& shape : shapes_)
      keep(use_shape(shape));
    for (const Sink& sink : job_.sinks) {
      if (sizes_known) keep(check_sink(program_, sink, job_.of(*sink.buffer).count));
    }
  }

  const Program& program_;
  const JobWords& words_;
  Job& job_;
  Counts counts_;
  std::vector<Shape> shapes_;
  std::vector<std::string> set_paths_;
  std::vector<Error> faults_;
  bool standard_input_taken_ = false;  ///< by a buffer
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
