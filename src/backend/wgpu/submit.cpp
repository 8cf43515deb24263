// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "backend/wgpu/block.h"
#include "backend/wgpu/driver.h"
#include "backend/wgpu/latch.h"
#include "backend/wgpu/waiters.h"

// Command lists as one encoder: uploads and clears of all, passes, downloads of all.  Lists that
// are not timed share a pass.
namespace vyre::wgpu {
namespace {

void copy(WGPUCommandEncoder encoder, const BlockCopy& copy) {
  api().CommandEncoderCopyBufferToBuffer(encoder, buffer_of(copy.from.block), copy.from.offset,
                                         buffer_of(copy.to), copy.to_offset, copy.from.size);
}

/// What the pass has set by now: it stays until it is set again.
struct PassState {
  const DriverKernel* kernel = nullptr;
  const DriverBindings* bindings = nullptr;
};

void launch(WGPUComputePassEncoder pass, const LaunchCommand& launch, PassState& state) {
  const auto [x, y, z] = launch.grid;
  if (state.kernel != launch.kernel)
    api().ComputePassEncoderSetPipeline(
        pass, static_cast<const Pipeline*>(launch.kernel)->pipeline.get());
  if (state.kernel != launch.kernel || state.bindings != launch.bindings)
    api().ComputePassEncoderSetBindGroup(
        pass, 0, static_cast<const Bindings*>(launch.bindings)->group.get(), 0, nullptr);
  state = {launch.kernel, launch.bindings};
  for (std::uint32_t i = 0; i < launch.repeat; ++i) {
    if (launch.indirect.block != nullptr)
      api().ComputePassEncoderDispatchWorkgroupsIndirect(pass, buffer_of(launch.indirect.block),
                                                         launch.indirect.offset);
    else
      api().ComputePassEncoderDispatchWorkgroups(pass, x, y, z);
  }
}

/// A command buffer in the making.
class Encoder {
 public:
  Encoder(WGPUDevice device, std::span<const CommandList> lists) : lists_(lists) {
    encoder_ = EncoderHandle(api().DeviceCreateCommandEncoder(device, nullptr));
  }

  [[nodiscard]] WGPUCommandEncoder get() const { return encoder_.get(); }

  void prepare(const CommandList& list) const {
    for (const BlockCopy& upload : list.uploads)
      copy(get(), upload);
    for (const BlockRange& clear : list.clears)
      api().CommandEncoderClearBuffer(get(), buffer_of(clear.block), clear.offset, clear.size);
  }

  /// A pass for the lists from `begin` on that are neither timed nor have to wait for those before
  /// them; the position behind them.
  [[nodiscard]] std::size_t shared_pass(std::size_t begin) const {
    std::size_t end = begin;
    std::size_t launches = 0;
    for (; end < lists_.size() && lists_[end].times == nullptr; ++end) {
      if (end != begin && lists_[end].in_order) break;
      launches += lists_[end].launches.size();
    }
    if (launches != 0) pass(lists_.subspan(begin, end - begin), nullptr);
    return end;
  }

  void pass(std::span<const CommandList> lists, const WGPUPassTimestampWrites* times) const {
    WGPUComputePassDescriptor descriptor = {};
    descriptor.label = view(lists.front().label);
    descriptor.timestampWrites = times;
    const PassHandle pass(api().CommandEncoderBeginComputePass(get(), &descriptor));
    std::string_view group = lists.front().label;
    bool grouped = false;
    PassState state;
    for (const CommandList& list : lists) {
      if (list.label != group) {
        if (grouped) api().ComputePassEncoderPopDebugGroup(pass.get());
        group = list.label;
        grouped = true;
        api().ComputePassEncoderPushDebugGroup(pass.get(), view(group));
      }
      for (const LaunchCommand& command : list.launches)
        launch(pass.get(), command, state);
    }
    if (grouped) api().ComputePassEncoderPopDebugGroup(pass.get());
    api().ComputePassEncoderEnd(pass.get());
  }

  void download(const CommandList& list) const {
    for (const BlockCopy& download : list.downloads)
      copy(get(), download);
  }

  [[nodiscard]] CommandsHandle finish() const {
    WGPUCommandBufferDescriptor finished = {};
    finished.label = view(lists_.front().label);
    return CommandsHandle(api().CommandEncoderFinish(get(), &finished));
  }

 private:
  std::span<const CommandList> lists_;
  EncoderHandle encoder_;
};

std::string doing(const CommandList& list) {
  return "the dispatch of `" + std::string(list.label) + "`";
}

/// The sets of marks of a submission, handed out in order.
class Marks {
 public:
  explicit Marks(std::vector<std::unique_ptr<Timestamps>>& sets) : sets_(sets) {}

  /// A list for which the device has no marks is not measured, and runs all the same.
  void add(TimestampPool& pool, const CommandList& list, std::size_t left) {
    list.times->known = false;
    if (sets_.empty() || sets_.back()->is_full()) {
      auto set = pool.take(left);
      if (!set) return;
      sets_.push_back(*std::move(set));
    }
    Timestamps& set = *sets_.back();
    places_.push_back({&set, set.add(!list.launches.empty())});
    list.times->known = set.has_marks(places_.back().job);
  }

  struct Place {
    Timestamps* set;
    std::uint32_t job;
  };
  /// The place of a timed list, by its number among those; null where nothing is measured.
  [[nodiscard]] const Place* find(std::size_t timed) const {
    return timed < places_.size() ? &places_[timed] : nullptr;
  }

 private:
  std::vector<std::unique_ptr<Timestamps>>& sets_;
  std::vector<Place> places_;
};

/// A pass for each timed list, and one for each run of others.
void record_passes(const Encoder& encoder, std::span<const CommandList> lists, const Marks& marks) {
  std::size_t timed = 0;
  for (std::size_t i = 0; i < lists.size();) {
    if (lists[i].in_order) encoder.prepare(lists[i]);
    if (lists[i].times == nullptr) {
      i = encoder.shared_pass(i);
      continue;
    }
    const CommandList& list = lists[i++];
    const Marks::Place* const place = marks.find(timed++);
    if (list.launches.empty()) continue;
    encoder.pass(std::span(&list, 1),
                 place == nullptr ? nullptr : place->set->pass_writes(place->job));
  }
}

void record_downloads(const Encoder& encoder,
                      std::span<const CommandList> lists,
                      const Marks& marks) {
  std::size_t timed = 0;
  for (const CommandList& list : lists) {
    const Marks::Place* const place = list.times == nullptr ? nullptr : marks.find(timed++);
    if (place != nullptr) place->set->mark_copies_begin(encoder.get(), place->job);
    encoder.download(list);
    if (place != nullptr) place->set->mark_copies_end(encoder.get(), place->job);
  }
}

/// To where the host reads them with everything else.
void record_marks(const Encoder& encoder,
                  std::span<const CommandList> lists,
                  const Marks& marks,
                  std::span<const std::unique_ptr<Timestamps>> sets) {
  for (const auto& set : sets)
    if (set->has_marks()) set->record_resolve(encoder.get());
  std::size_t timed = 0;
  for (const CommandList& list : lists)
    if (list.times != nullptr)
      if (const Marks::Place* const place = marks.find(timed++))
        place->set->record_copy(encoder.get(), place->job, list.marks);
}

}  // namespace

Result<WgpuDriver::Recorded> WgpuDriver::record(std::span<const CommandList> lists) const {
  Recorded recorded;
  Marks marks(recorded.timestamps);
  for (std::size_t i = 0; info().has_timestamps && i < lists.size(); ++i)
    if (lists[i].times != nullptr) marks.add(*timestamps_, lists[i], lists.size() - i);
  clear_latch();
  const Encoder encoder(gpu_->device(), lists);
  for (const CommandList& list : lists)
    if (!list.in_order) encoder.prepare(list);
  record_passes(encoder, lists, marks);
  record_downloads(encoder, lists, marks);
  record_marks(encoder, lists, marks, recorded.timestamps);
  recorded.commands = encoder.finish();
  if (is_latched())
    VYRE_CHECK_OK(
        gpu_->check_call(ErrorKind::unsupported, "dispatch-refused", doing(lists.front())));
  return recorded;
}

/// Each list by itself, so that one that is refused spoils none of the others.
Status WgpuDriver::record_each(std::span<const CommandList> lists,
                               std::vector<Recorded>& good) const {
  for (const CommandList& list : lists) {
    auto one = record(std::span(&list, 1));
    if (one) {
      good.push_back(*std::move(one));
    } else if (list.report == nullptr || lists.size() == 1) {
      return std::move(one).error();
    } else {
      list.report->error = std::move(one).error();
    }
  }
  return Ok{};
}

void WgpuDriver::signal_when_done(std::unique_ptr<Waiters::Waiter> waiter) const {
  WGPUQueueWorkDoneCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = waiter.release();
  callback.callback = Waiters::on_done;
  api().QueueOnSubmittedWorkDone(gpu_->queue(), callback);
}

Status WgpuDriver::enqueue(std::span<Recorded> recorded) const {
  constexpr std::size_t kFew = 8;
  std::array<WGPUCommandBuffer, kFew> few = {};
  std::vector<WGPUCommandBuffer> many;
  std::span<WGPUCommandBuffer> commands = few;
  if (recorded.size() > kFew) {
    many.resize(recorded.size());
    commands = many;
  }
  for (std::size_t i = 0; i < recorded.size(); ++i)
    commands[i] = recorded[i].commands.get();
  std::vector<TimestampPool::BusyHandle> busy;
  for (Recorded& one : recorded)
    for (auto& set : one.timestamps)
      if (set->has_marks()) busy.push_back(timestamps_->lend(std::move(set)));
  VYRE_CHECK_OK(gpu_->check_alive());
  clear_latch();
  api().QueueSubmit(gpu_->queue(), recorded.size(), commands.data());
  VYRE_CHECK_OK(gpu_->check_call(ErrorKind::unsupported, "dispatch-refused", "a submission"));
  for (auto& set : busy)
    timestamps_->give_back_when_done(std::move(set));
  return Ok{};
}

Status WgpuDriver::submit(std::span<const CommandList> lists, const SubmitOptions& options) {
  VYRE_CHECK_OK(gpu_->check_alive());
  std::unique_ptr<Waiters::Waiter> waiter;  // after the queue's submit no memory may be missing
  if (options.done != nullptr) waiter = waiters_->take(options.done, gate_);
  if (lists.empty()) {
    VYRE_CHECK_OK(enqueue({}));
  } else if (auto all = record(lists)) {
    VYRE_CHECK_OK(enqueue(std::span(&*all, 1)));
  } else {
    std::vector<Recorded> good;
    VYRE_CHECK_OK(record_each(lists, good));
    VYRE_CHECK_OK(enqueue(good));
  }
  if (waiter != nullptr) signal_when_done(std::move(waiter));
  return Ok{};
}

}  // namespace vyre::wgpu
