// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "runtime/backoff.h"
#include "runtime/recorder.h"
#include "runtime/resident.h"

// What callers hold: outputs and pending results.
namespace vyre {

std::uint64_t Input::size() const {
  if (buffer != nullptr) return buffer->size();
  return staged != nullptr ? staged->bytes().size() : bytes.size();
}

std::span<const Outputs::Item> Outputs::items() const {
  return job_.part().items;
}
const Timing& Outputs::timing() const {
  return job_.part().timing;
}

std::span<const Timing> Outputs::step_timings() const {
  return job_.part().step_timings;
}

bool Outputs::contains(std::string_view name) const {
  return std::any_of(begin(), end(), [&](const Item& item) { return item.name == name; });
}

std::span<const std::byte> Outputs::bytes(std::string_view name) const {
  for (const Item& item : items())
    if (item.name == name) return item.bytes;
  return {};
}

Status Outputs::copy_to(std::string_view name, std::span<std::byte> to) const {
  const auto from = bytes(name);
  if (from.size() != to.size())
    return Error(ErrorKind::invalid_argument, "copy-size",
                 "`" + std::string(name) + "` has " + std::to_string(from.size()) +
                     " bytes, the destination " + std::to_string(to.size()),
                 "make them equal");
  host_copy(to, from);
  return Ok{};
}

bool Pending::ready() const {
  job_.submission()->recorder().collect();
  return job_.submission()->state() == Submission::State::finished;
}

Result<Outputs> Pending::wait(std::optional<std::chrono::nanoseconds> timeout) const {
  Submission& submission = *job_.submission();
  Recorder& recorder = submission.recorder();
  const auto deadline = timeout ? later(Recorder::Clock::now(), *timeout) : submission.deadline();
  if (!recorder.wait(submission, deadline)) return recorder.give_up(job_, timeout);
  return recorder.result(job_);
}

std::optional<Result<Outputs>> Pending::outputs() const {
  if (!ready()) return std::nullopt;
  return job_.submission()->recorder().result(job_);
}

void Pending::on_ready(std::function<void(const Pending&)> callback) const {
  job_.submission()->recorder().on_ready(job_, std::move(callback));
}

std::vector<Result<Outputs>> wait_all(std::span<const Pending> pending,
                                      std::optional<std::chrono::nanoseconds> timeout) {
  const auto start = Recorder::Clock::now();
  std::vector<Result<Outputs>> results;
  results.reserve(pending.size());
  for (const Pending& one : pending) {
    auto left = timeout;
    if (left) {
      const std::chrono::nanoseconds none(0);
      *left = std::max(std::max(*left, none) - (Recorder::Clock::now() - start), none);
    }
    results.push_back(one.wait(left));
  }
  return results;
}

}  // namespace vyre
