// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/resident.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/at_end.h"
#include "base/guarded.h"
#include "runtime/backoff.h"
#include "runtime/recorder.h"

// Resident buffers: ranges up and down, each call one submission.
namespace vyre {
namespace {

constexpr auto kTransferTimeout = std::chrono::seconds(30);

/// Devices copy whole words.
struct Words {
  std::uint64_t begin;
  std::uint64_t end;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

Words words_around(std::uint64_t offset, std::uint64_t size) {
  return {offset & ~std::uint64_t{3}, (offset + size + 3) & ~std::uint64_t{3}};
}

std::string range_text(std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t end = size > ~offset ? ~std::uint64_t{0} : offset + size;
  return "[" + std::to_string(offset) + ".." + std::to_string(end) + ")";
}

/// True if two of the ranges lie partly in one word.
bool share_words(std::span<const Buffer::Upload> ranges) {
  std::vector<Words> all;
  all.reserve(ranges.size());
  for (const Buffer::Upload& range : ranges)
    if (!range.bytes.empty()) all.push_back(words_around(range.offset, range.bytes.size()));
  std::sort(all.begin(), all.end(), [](Words a, Words b) { return a.begin < b.begin; });
  return std::adjacent_find(all.begin(), all.end(),
                            [](Words a, Words b) { return b.begin < a.end; }) != all.end();
}

template <typename Range>
Status check_ranges(std::span<const Range> ranges, std::uint64_t size) {
  for (const Range& range : ranges)
    VYRE_CHECK_OK(check_range(range.offset, range.bytes.size(), size));
  return Ok{};
}

}  // namespace

Error empty_handle(std::string_view what) {
  return Error(ErrorKind::invalid_argument, "empty-handle",
               "the call is on a handle that has no " + std::string(what) + ": it was moved from",
               "use the handle that it was moved to");
}

Status check_range(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
  if (offset <= size && bytes <= size - offset) return Ok{};
  return Error(ErrorKind::invalid_argument, "buffer-range",
               "the range " + range_text(offset, bytes) + " is outside the buffer of " +
                   std::to_string(size) + " bytes",
               "keep offset + size at or below the buffer's size; nothing was touched");
}

Loan::~Loan() {
  if (block_) recorder_->release(std::move(block_));
}
Loan& Loan::operator=(Loan&& other) noexcept {
  std::swap(recorder_, other.recorder_);
  std::swap(block_, other.block_);
  return *this;
}

std::span<std::byte> StagedImpl::bytes() const {
  if (!block_) return {};
  return {block_->data(), size_};
}

StagedBytes::StagedBytes(std::unique_ptr<StagedImpl> impl) : impl_(std::move(impl)) {}
StagedBytes::StagedBytes(StagedBytes&&) noexcept = default;
StagedBytes& StagedBytes::operator=(StagedBytes&&) noexcept = default;
StagedBytes::~StagedBytes() = default;
std::span<std::byte> StagedBytes::bytes() const {
  return impl_ ? impl_->bytes() : std::span<std::byte>{};
}

std::uint64_t Buffer::size() const {
  return impl_ == nullptr ? 0 : impl_->size();
}

Status Buffer::check_whole(std::size_t element, std::string_view type) const {
  return guarded([&]() -> Status {
    if (impl_ == nullptr) return empty_handle("buffer");
    if (size() % element == 0) return Ok{};
    return Error(ErrorKind::invalid_argument, "partial-element",
                 "the buffer of " + std::to_string(size()) + " bytes is not whole `" +
                     std::string(type) + "`s of " + std::to_string(element) + " bytes",
                 "allocate a multiple of that, or use it as bytes");
  });
}

Status Buffer::upload(std::span<const std::byte> bytes, std::uint64_t offset) const {
  const Upload range = {offset, bytes};
  return upload(std::span(&range, 1));
}
Status Buffer::download(std::span<std::byte> bytes, std::uint64_t offset) const {
  const Download range = {offset, bytes};
  return download(std::span(&range, 1));
}
Status Buffer::upload(std::span<const Upload> ranges) const {
  return guarded([&]() -> Status {
    const auto impl = impl_;  // a callback may let this handle go
    if (impl == nullptr) return empty_handle("buffer");
    VYRE_CHECK_OK(impl->recorder().check_process());
    VYRE_CHECK_OK(check_ranges(ranges, impl->size()));
    return impl->recorder().write(*impl->block(), ranges);
  });
}
Status Buffer::download(std::span<const Download> ranges) const {
  return guarded([&]() -> Status {
    const auto impl = impl_;  // a callback may let this handle go
    if (impl == nullptr) return empty_handle("buffer");
    VYRE_CHECK_OK(impl->recorder().check_process());
    VYRE_CHECK_OK(check_ranges(ranges, impl->size()));
    return impl->recorder().read(*impl->block(), ranges);
  });
}

Result<Loan> Recorder::acquire_one(BlockUse use, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  VYRE_TRY(PooledBlock block, pool_.acquire(use, bytes));
  return Loan(*this, std::move(block));
}

void Recorder::release(PooledBlock block) {
  if (is_foreign()) {
    abandon(std::move(block));
    return abandon(shared_from_this());
  }
  const std::lock_guard lock(mutex_);
  pool_.release(std::move(block));
}

Result<Loan> Recorder::stage(std::uint64_t bytes) {
  return acquire_one(driver_->traits().bound_uploads ? BlockUse::upload_bound : BlockUse::upload,
                     bytes);
}

/// A block of zeros.
Result<Loan> Recorder::allocate(std::uint64_t bytes) {
  VYRE_TRY(Loan block, acquire_one(BlockUse::device, bytes));
  if (block.pooled().fresh && driver_->traits().fresh_is_zero) return block;
  VYRE_CHECK_OK(clear(*block));
  return block;
}

Status Recorder::clear(DriverBlock& block) {
  const BlockRange all = {&block, 0, block.size() / 4 * 4};
  const CommandList list = {.label = "clear", .clears = std::span(&all, 1)};
  return driver_->submit(std::span(&list, 1), {});
}

/// One submission of copies.  On unified memory nothing maps, so the copies are waited for.
Status Recorder::transfer(std::span<const BlockCopy> up, std::span<const BlockCopy> down) {
  const CommandList list = {.label = "transfer", .uploads = up, .downloads = down};
  if (!driver_->traits().unified) return driver_->submit(std::span(&list, 1), {});
  Signal done;
  done.set(Signal::State::pending);
  VYRE_CHECK_OK(driver_->submit(std::span(&list, 1), {.done = &done, .waits = true}));
  while (done.is(Signal::State::pending)) {
    collect();
    if (done.is(Signal::State::pending)) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return Ok{};
}

Status Recorder::wait_for_view(const DriverBlock& block, Clock::time_point deadline) {
  Backoff backoff(options_.spin);
  while (block.mapping.is(Signal::State::pending) && !driver_->lost()) {
    collect();
    if (block.mapping.is(Signal::State::pending) && !backoff.pause(deadline))
      return Error(ErrorKind::timeout, "deadline", "a transfer did not finish within its deadline",
                   "the device may be busy with a long kernel; wait for that first");
  }
  if (driver_->lost()) return lost_error();
  if (block.data() != nullptr) return Ok{};
  return Error(ErrorKind::device_lost, "map-failed", "the device did not give the bytes back",
               "recover the device and try again");
}

/// Ranges that share a word go one by one: the edges of each come from what the device holds.
/// The whole words of a large range in chunks, what is left at its ends by itself.
Status Recorder::write_streamed(DriverBlock& block, const Buffer::Upload& range) {
  const std::uint64_t head = (4 - range.offset % 4) % 4;
  const std::uint64_t whole = (range.bytes.size() - head) / 4 * 4;
  VYRE_CHECK_OK(stream_up(block, range.offset + head, range.bytes.subspan(head, whole),
                          Clock::now() + kTransferTimeout));
  const Buffer::Upload ends[] = {{range.offset, range.bytes.first(head)},
                                 {range.offset + head + whole, range.bytes.subspan(head + whole)}};
  return write(block, ends);
}

Status Recorder::write(DriverBlock& block, std::span<const Buffer::Upload> ranges) {
  if (ranges.size() > 1 && share_words(ranges)) {
    for (const Buffer::Upload& range : ranges)
      VYRE_CHECK_OK(write(block, std::span(&range, 1)));
    return Ok{};
  }
  std::uint64_t total = 0;
  for (const Buffer::Upload& range : ranges)
    total += words_around(range.offset, range.bytes.size()).size();
  if (total == 0) return Ok{};
  if (streams(total) && ranges.size() == 1) return write_streamed(block, ranges[0]);
  const TraceSpan traced(options_.trace, "upload buffer");
  VYRE_TRY(const Loan staging, acquire_one(BlockUse::upload, total));
  std::vector<BlockCopy> copies;
  std::uint64_t at = 0;
  for (const Buffer::Upload& range : ranges) {
    const Words words = words_around(range.offset, range.bytes.size());
    if (words.size() == 0) continue;
    std::byte* const to = staging->data() + at;
    VYRE_CHECK_OK(read_edges(block, words.begin, words.end, range, to));
    host_copy({to + (range.offset - words.begin), range.bytes.size()}, range.bytes);
    copies.push_back({{staging.get(), at, words.size()}, &block, words.begin});
    at += words.size();
  }
  if (!driver_->traits().unified) driver_->unmap(*staging);
  const AtEnd view_back([&] {
    if (!driver_->traits().unified) driver_->map(*staging);
  });
  return transfer(copies, {});
}

/// The words at the ends of an unaligned range keep their other bytes: they are fetched first.
Status Recorder::read_edges(DriverBlock& block,
                            std::uint64_t begin,
                            std::uint64_t end,
                            const Buffer::Upload& range,
                            std::byte* words) {
  const bool aligned = begin == range.offset && end == range.offset + range.bytes.size();
  if (aligned) return Ok{};
  const Buffer::Download edges[] = {{begin, {words, 4}}, {end - 4, {words + (end - begin) - 4, 4}}};
  return read(block, edges);
}

Status Recorder::read(DriverBlock& block, std::span<const Buffer::Download> ranges) {
  std::uint64_t total = 0;
  for (const Buffer::Download& range : ranges)
    total += words_around(range.offset, range.bytes.size()).size();
  if (total == 0) return Ok{};
  if (streams(total) && ranges.size() == 1)
    return stream_down(block, ranges[0].offset, ranges[0].bytes, Clock::now() + kTransferTimeout);
  const TraceSpan traced(options_.trace, "download buffer");
  VYRE_TRY(Loan staging, acquire_one(BlockUse::readback, total));
  const AtEnd given_back([&] { give_back_view(staging.take()); });
  std::vector<BlockCopy> copies;
  std::uint64_t at = 0;
  for (const Buffer::Download& range : ranges) {
    const Words words = words_around(range.offset, range.bytes.size());
    if (words.size() != 0)
      copies.push_back({{&block, words.begin, words.size()}, staging.get(), at});
    at += words.size();
  }
  VYRE_CHECK_OK(transfer({}, copies));
  if (!driver_->traits().unified) {
    driver_->map(*staging);
    VYRE_CHECK_OK(wait_for_view(*staging, Clock::now() + kTransferTimeout));
  }
  const std::byte* from = staging->data();
  for (const Buffer::Download& range : ranges) {
    const Words words = words_around(range.offset, range.bytes.size());
    host_copy(range.bytes, {from + (range.offset - words.begin), range.bytes.size()});
    from += words.size();
  }
  return Ok{};
}

Result<std::unique_ptr<DriverBlock>> Recorder::upload_constants(
    std::span<const std::uint32_t> words) {
  const auto bytes = std::as_bytes(words);
  VYRE_TRY(auto block, driver_->allocate(BlockUse::device, bytes.size()));
  const Buffer::Upload all = {0, bytes};
  VYRE_CHECK_OK(write(*block, std::span(&all, 1)));
  return block;
}

}  // namespace vyre
