// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/block.h"
#include "backend/wgpu/driver.h"
#include "backend/wgpu/latch.h"

// Command lists as encoders: uploads and clears, one compute pass, downloads.
namespace vyre::wgpu {
namespace {

void copy(WGPUCommandEncoder encoder, const BlockCopy& copy) {
  api().CommandEncoderCopyBufferToBuffer(encoder, buffer_of(copy.from.block), copy.from.offset,
                                         buffer_of(copy.to), copy.to_offset, copy.from.size);
}

void launch(WGPUComputePassEncoder pass, const LaunchCommand& launch) {
  const auto [x, y, z] = launch.grid;
  api().ComputePassEncoderSetPipeline(pass,
                                      static_cast<const Pipeline*>(launch.kernel)->pipeline.get());
  api().ComputePassEncoderSetBindGroup(
      pass, 0, static_cast<const Bindings*>(launch.bindings)->group.get(), 0, nullptr);
  for (std::uint32_t i = 0; i < launch.repeat; ++i) {
    if (launch.indirect.block != nullptr)
      api().ComputePassEncoderDispatchWorkgroupsIndirect(pass, buffer_of(launch.indirect.block),
                                                         launch.indirect.offset);
    else
      api().ComputePassEncoderDispatchWorkgroups(pass, x, y, z);
  }
}

void record_pass(WGPUCommandEncoder encoder,
                 const CommandList& list,
                 const Timestamps* timestamps) {
  if (list.launches.empty()) return;
  WGPUComputePassDescriptor descriptor = {};
  descriptor.label = view(list.label);
  if (timestamps != nullptr) descriptor.timestampWrites = timestamps->pass_writes();
  const PassHandle pass(api().CommandEncoderBeginComputePass(encoder, &descriptor));
  for (const LaunchCommand& command : list.launches)
    launch(pass.get(), command);
  api().ComputePassEncoderEnd(pass.get());
}

std::string doing(const CommandList& list) {
  return "the dispatch of `" + std::string(list.label) + "`";
}

}  // namespace

Result<WgpuDriver::Recorded> WgpuDriver::record(const CommandList& list) const {
  Recorded recorded;
  if (list.times != nullptr && info().has_timestamps) {
    VYRE_TRY(recorded.timestamps, Timestamps::make(gpu_));
  }
  const Timestamps* timestamps = recorded.timestamps.get();
  WGPUCommandEncoderDescriptor descriptor = {};
  descriptor.label = view(list.label);
  clear_latch();
  const EncoderHandle encoder(api().DeviceCreateCommandEncoder(gpu_->device(), &descriptor));
  for (const BlockCopy& upload : list.uploads)
    copy(encoder.get(), upload);
  for (const BlockRange& clear : list.clears)
    api().CommandEncoderClearBuffer(encoder.get(), buffer_of(clear.block), clear.offset,
                                    clear.size);
  record_pass(encoder.get(), list, timestamps);
  if (timestamps != nullptr) timestamps->mark_copies_begin(encoder.get());
  for (const BlockCopy& download : list.downloads)
    copy(encoder.get(), download);
  if (timestamps != nullptr) {
    timestamps->mark_copies_end(encoder.get());
    timestamps->record_resolve(encoder.get());
  }
  WGPUCommandBufferDescriptor finished = {};
  finished.label = view(list.label);
  recorded.commands = CommandsHandle(api().CommandEncoderFinish(encoder.get(), &finished));
  VYRE_CHECK_OK(check_latch(ErrorKind::unsupported, "dispatch-refused", doing(list)));
  return recorded;
}

void WgpuDriver::signal_when_done(Signal* done) const {
  struct Waiter {
    Signal* signal;
    Gate gate;
  };
  WGPUQueueWorkDoneCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = new Waiter{done, gate_};
  callback.callback = [](WGPUQueueWorkDoneStatus status, WGPUStringView, void* waiter, void*) {
    const std::unique_ptr<Waiter> owned(static_cast<Waiter*>(waiter));
    if (!owned->gate->load()) return;
    owned->signal->set(status == WGPUQueueWorkDoneStatus_Success ? Signal::State::done
                                                                 : Signal::State::failed);
  };
  api().QueueOnSubmittedWorkDone(gpu_->queue(), callback);
}

Status WgpuDriver::submit(std::span<const CommandList> lists, const SubmitOptions& options) {
  std::vector<Recorded> recorded;
  for (const CommandList& list : lists) {
    VYRE_TRY(Recorded one, record(list));
    recorded.push_back(std::move(one));
  }
  std::vector<WGPUCommandBuffer> commands;
  for (const Recorded& one : recorded)
    commands.push_back(one.commands.get());
  VYRE_CHECK_OK(gpu_->check_alive());
  clear_latch();
  api().QueueSubmit(gpu_->queue(), commands.size(), commands.data());
  VYRE_CHECK_OK(check_latch(ErrorKind::unsupported, "dispatch-refused", "a submission"));
  for (std::size_t i = 0; i < lists.size(); ++i)
    if (recorded[i].timestamps)
      Timestamps::fetch(std::move(recorded[i].timestamps), !lists[i].launches.empty(),
                        lists[i].times, gate_);
  if (options.done != nullptr) signal_when_done(options.done);
  return Ok{};
}

}  // namespace vyre::wgpu
