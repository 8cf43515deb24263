// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/sequence.h"

#include <mutex>

#include "backend/device.h"
#include "base/guarded.h"
#include "runtime/resident.h"

namespace vyre {

/// Steps as they were added, and what replays share of them.
class SequenceImpl {
 public:
  explicit SequenceImpl(std::shared_ptr<DeviceImpl> device)
      : device_(std::move(device)),
        recorder_(device_->check_process() ? device_->recorder() : nullptr) {}

  Status add(const ValidProgram& program,
             std::span<const Input> inputs,
             const DispatchOptions& options) {
    if (program.empty()) return empty_handle("program");
    VYRE_CHECK_OK(check_owners(inputs, *recorder_));
    VYRE_TRY(auto compiled, device_->compiled(recorder_, program, options));
    VYRE_TRY(auto step, recorder_->make_step({std::move(compiled), inputs, &options}));
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
    recorded_.reset();
    return Ok{};
  }

  Status read(SequenceRead read) {
    if (&read.buffer->recorder() != recorder_.get()) return wrong_device(read.name);
    VYRE_CHECK_OK(check_range(read.offset, read.size, read.buffer->size()));
    const std::lock_guard lock(mutex_);
    for (const SequenceRead& other : reads_)
      if (other.name == read.name)
        return Error(ErrorKind::invalid_argument, "read-given-twice",
                     "`" + read.name + "` names two reads of a sequence", "give each its own name");
    reads_.push_back(std::move(read));
    recorded_.reset();
    return Ok{};
  }

  Result<Pending> submit(const SequenceOptions& options, bool waits) {
    const auto recorder = recorder_;  // a callback may let the sequence go
    return recorder->replay(recorded(), options, waits);
  }

  [[nodiscard]] Status check_process() const { return device_->check_process(); }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return steps_.size();
  }

 private:
  std::shared_ptr<const RecordedSequence> recorded() {
    const std::lock_guard lock(mutex_);
    if (recorded_ == nullptr) {
      auto recorded = std::make_shared<RecordedSequence>();
      recorded->steps = steps_;
      recorded->reads = reads_;
      recorded->lay_out();
      recorded_ = std::move(recorded);
    }
    return recorded_;
  }

  std::shared_ptr<DeviceImpl> device_;
  std::shared_ptr<Recorder> recorder_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<std::shared_ptr<const SequenceStep>> steps_;
  std::vector<SequenceRead> reads_;
  std::shared_ptr<const RecordedSequence> recorded_;  ///< null: not up to date
};

Sequence::Sequence(const Device& device) {
  if (device.impl_ == nullptr) return;
  guarded([&] { impl_ = std::make_shared<SequenceImpl>(device.impl_); }, [&] { starved_ = true; });
}

/// That a call on the handle may go on.
Status Sequence::check_handle() const {
  return guarded([&]() -> Status {
    if (impl_ != nullptr) return impl_->check_process();
    return starved_ ? Error::host_memory() : empty_handle("sequence");
  });
}

Status Sequence::add(const ValidProgram& program,
                     std::span<const Input> inputs,
                     const DispatchOptions& options) {
  return guarded([&]() -> Status {
    VYRE_CHECK_OK(check_handle());
    return impl_->add(program, inputs, options);
  });
}
Status Sequence::add(const ValidProgram& program,
                     std::initializer_list<Input> inputs,
                     const DispatchOptions& options) {
  return add(program, std::span(inputs.begin(), inputs.size()), options);
}

Status Sequence::read(std::string name, const Buffer& buffer) {
  return read(std::move(name), buffer, 0, buffer.size());
}
Status Sequence::read(std::string name,
                      const Buffer& buffer,
                      std::uint64_t offset,
                      std::uint64_t size) {
  return guarded([&]() -> Status {
    VYRE_CHECK_OK(check_handle());
    if (buffer.impl() == nullptr) return empty_handle("buffer").with("reading `" + name + "`");
    return impl_->read({std::move(name), buffer.impl(), offset, size});
  });
}

std::size_t Sequence::size() const {
  return check_handle() ? impl_->size() : 0;
}

Result<Pending> Sequence::submit(const SequenceOptions& options) const {
  return guarded([&]() -> Result<Pending> {
    VYRE_CHECK_OK(check_handle());
    return impl_->submit(options, false);
  });
}
Result<Outputs> Sequence::run(const SequenceOptions& options) const {
  return guarded([&]() -> Result<Outputs> {
    VYRE_CHECK_OK(check_handle());
    VYRE_TRY(const Pending pending, impl_->submit(options, true));
    return pending.wait();
  });
}

}  // namespace vyre
