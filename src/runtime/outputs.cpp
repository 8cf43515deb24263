// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "base/guarded.h"
#include "runtime/backoff.h"
#include "runtime/held_elements.h"
#include "runtime/recorder.h"
#include "runtime/resident.h"

// What callers hold: outputs and pending results.
namespace vyre {
namespace {

Error no_such_output(const Outputs& outputs, std::string_view name) {
  std::string names;
  for (const Outputs::Item& item : outputs)
    names += (names.empty() ? "`" : ", `") + std::string(item.name) + "`";
  return Error(ErrorKind::invalid_argument, "not-an-output",
               "`" + std::string(name) + "` is no output that came back",
               names.empty() ? "none did" : "the outputs are " + names);
}

Error no_whole_elements(const Outputs::Item& item, const ElementType& type) {
  return Error(ErrorKind::invalid_argument, "partial-element",
               "`" + std::string(item.name) + "` came back as " +
                   std::to_string(item.bytes.size()) + " bytes, which are not whole, aligned `" +
                   std::string(type.name) + "`s of " + std::to_string(type.size) + " bytes",
               "view it as bytes(name), or choose other bounds of its window");
}

}  // namespace

std::uint64_t Input::size() const {
  if (buffer) return buffer->size();
  return staged != nullptr ? staged->bytes().size() : bytes().size();
}

std::span<const Outputs::Item> Outputs::items() const {
  return job_ ? job_.part().items : std::span<const Item>();
}
const Timing& Outputs::timing() const {
  static const Timing kNone;
  return job_ ? job_.part().timing : kNone;
}

std::span<const Timing> Outputs::step_timings() const {
  return job_ ? job_.part().step_timings : std::span<const Timing>();
}

bool Outputs::contains(std::string_view name) const {
  return std::any_of(begin(), end(), [&](const Item& item) { return item.name == name; });
}

Result<std::span<const std::byte>> Outputs::view(std::string_view name,
                                                 const ElementType& type) const {
  return guarded([&]() -> Result<std::span<const std::byte>> {
    if (!job_) return empty_handle("outputs");
    const auto item =
        std::find_if(begin(), end(), [&](const Item& other) { return other.name == name; });
    if (item == end()) return no_such_output(*this, name);
    const auto place = static_cast<std::size_t>(item - begin());
    const auto& types = job_.part().item_types;
    if (place < types.size())
      VYRE_CHECK_OK(check_elements(*types[place], type, name, item->bytes.size()));
    const bool aligned = reinterpret_cast<std::uintptr_t>(item->bytes.data()) % type.align == 0;
    if (item->bytes.size() % type.size != 0 || !aligned) return no_whole_elements(*item, type);
    return item->bytes;
  });
}

Status Outputs::copy_to(std::string_view name,
                        std::span<std::byte> to,
                        const ElementType& type) const {
  return guarded([&]() -> Status {
    VYRE_TRY(const auto from, view(name, type));
    if (from.size() != to.size())
      return Error(ErrorKind::invalid_argument, "copy-size",
                   "`" + std::string(name) + "` has " + std::to_string(from.size()) +
                       " bytes, the destination " + std::to_string(to.size()),
                   "make them equal");
    host_copy(to, from);
    return Ok{};
  });
}

// Waiting runs callbacks, which may let the handle go that is waited on: each call keeps its job.

bool Pending::ready() const {
  const JobRef job = job_;
  if (!job || job.submission()->recorder().is_foreign()) return true;
  job.submission()->recorder().collect();
  return job.submission()->state() == Submission::State::finished;
}

namespace {

/// Without a timeout: as long as the dispatch itself allows.
Result<Outputs> wait_for(const JobRef& of, std::optional<std::chrono::nanoseconds> timeout) {
  if (!of) return empty_handle("dispatch");
  Submission& submission = *of.submission();
  if (submission.state() == Submission::State::finished) return submission.recorder().result(of);
  VYRE_CHECK_OK(submission.recorder().check_process());
  const JobRef job = of;
  Recorder& recorder = submission.recorder();
  if (timeout) timeout = std::max(*timeout, std::chrono::nanoseconds(0));
  const auto deadline = timeout ? later(Recorder::Clock::now(), *timeout) : submission.deadline();
  if (!recorder.wait(submission, deadline)) return recorder.give_up(job, timeout);
  return recorder.result(job);
}

}  // namespace

Result<Outputs> Pending::wait(std::optional<std::chrono::nanoseconds> timeout) const {
  return guarded([&] { return wait_for(job_, timeout); });
}

std::optional<Result<Outputs>> Pending::outputs() const {
  const JobRef job = job_;
  if (!job) return guarded([]() -> Result<Outputs> { return empty_handle("dispatch"); });
  if (!Pending(job).ready()) return std::nullopt;
  return Pending(job).wait();
}

void Pending::on_ready(std::function<void(const Pending&)> callback) const {
  const JobRef job = job_;
  if (job && callback && !job.submission()->recorder().is_foreign())
    job.submission()->recorder().on_ready(job, std::move(callback));
}

std::vector<Result<Outputs>> wait_all(std::span<const Pending> pending,
                                      std::optional<std::chrono::nanoseconds> timeout) {
  const auto start = Recorder::Clock::now();
  std::vector<Result<Outputs>> results;
  guarded([&] { results.reserve(pending.size()); }, [&] { pending = {}; });
  for (const Pending& one : pending) {
    auto left = timeout;
    const std::chrono::nanoseconds none(0);  // and no overflow below it
    if (left) *left = std::max(*left, none) - (Recorder::Clock::now() - start);
    results.push_back(one.wait(left));
  }
  return results;
}

}  // namespace vyre
