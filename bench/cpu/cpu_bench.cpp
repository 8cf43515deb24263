// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "vyre/vyre.h"

#include "case.h"
#include "on_webgpu.h"

// Kernels on the CPU machine, on a software Vulkan driver (the file's own text through the bare
// WebGPU API) and as plain C++.
//
//   vyre_cpu_bench [--rounds N] [--wall] [--only NAME] [--no-vulkan] [--json FILE]
//
// The sides take turns; a figure is the median of the rounds.  Time is what all threads of the
// process spent on processors, so other work on the machine does not count; --wall looks at the
// clock instead.  Buffers are resident: copies to and from the device are not measured.  The
// first answers of the sides are compared; a side that disagrees is told, and the exit status is 1.
namespace vyre::bench {
namespace {

bool by_wall = false;

/// Seconds.
double now() {
  timespec time{};
  clock_gettime(by_wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string text_of(const std::string& file) {
  std::ifstream stream(std::string(VYRE_SOURCE) + "/" + file + ".wgsl");
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A case with its buffers on one device, where it has run once.
class OnDevice {
 public:
  static Result<OnDevice> make(const Device& device, const Case& work) {
    VYRE_TRY(ValidProgram program, parse_wgsl(text_of(work.file), {.entry = work.entry}));
    OnDevice made(device, std::move(program));
    made.options_.grid = work.grid;
    made.options_.timeout = std::chrono::minutes(5);
    for (const Named& named : work.buffers) {
      VYRE_TRY(Buffer buffer, device.allocate(named.bytes.size()));
      VYRE_CHECK_OK(buffer.upload(named.bytes));
      made.buffers_.emplace_back(named.name, std::move(buffer));
    }
    VYRE_CHECK_OK(made.run());
    return made;
  }

  Status run() const {
    std::vector<Input> inputs;
    for (const auto& [name, buffer] : buffers_)
      inputs.emplace_back(name, buffer);
    VYRE_TRY(Outputs outputs, device_.dispatch(program_, inputs, options_));
    static_cast<void>(outputs);
    return Ok{};
  }

  Result<Bytes> content(std::size_t buffer, std::size_t size) const {
    Bytes bytes(size);
    VYRE_CHECK_OK(buffers_[buffer].second.download(bytes));
    return bytes;
  }

 private:
  OnDevice(const Device& device, ValidProgram program)
      : device_(device), program_(std::move(program)) {}

  Device device_;
  ValidProgram program_;
  DispatchOptions options_;
  std::vector<std::pair<std::string, Buffer>> buffers_;
};

/// What the command line asks for.
struct Request {
  int rounds = 5;
  std::string_view only;
  std::string_view other = "wgpu";
  std::string_view json;
};

class Bench {
 public:
  explicit Bench(const Request& request) : request_(request) {}

  int run();

 private:
  std::optional<Device> opened(std::string_view which);
  template <typename Side>
  std::optional<Side> placed(Result<Side> made, const CaseMaker& named);
  std::optional<OnDevice> place_ours(const CaseMaker& named);
  std::optional<OnWebGpu> place_theirs(const CaseMaker& named);
  template <typename Side>
  void check(const std::optional<Side>& side, std::string_view device, Case& work);
  void compare(const CaseMaker& named, std::string_view group);
  void small_dispatch();
  bool save() const;

  Request request_;
  std::optional<Device> cpu_;
  std::optional<Device> vulkan_;
  nlohmann::json rows_ = nlohmann::json::array();
  bool failed_ = false;
};

std::optional<Device> Bench::opened(std::string_view which) {
  auto device = open(which);
  if (device) return *std::move(device);
  std::fprintf(stderr, "%s\n", device.error().to_string().c_str());
  return std::nullopt;
}

template <typename Side>
std::optional<Side> Bench::placed(Result<Side> made, const CaseMaker& named) {
  if (made) return *std::move(made);
  std::fprintf(stderr, "%s: %s\n", named.name.c_str(), made.error().to_string().c_str());
  failed_ = true;
  return std::nullopt;
}

std::optional<OnDevice> Bench::place_ours(const CaseMaker& named) {
  if (!cpu_) return std::nullopt;
  return placed(OnDevice::make(*cpu_, named.make()), named);
}

/// The name of the entry is what the library finds in the text.
std::optional<OnWebGpu> Bench::place_theirs(const CaseMaker& named) {
  if (!vulkan_) return std::nullopt;
  const Case work = named.make();
  const std::string text = text_of(work.file);
  const auto program = parse_wgsl(text, {.entry = work.entry});
  if (!program) return placed(Result<OnWebGpu>(program.error()), named);
  return placed(OnWebGpu::make(vulkan_->info().number, work, text, (*program)->name), named);
}

template <typename Side>
void Bench::check(const std::optional<Side>& side, std::string_view device, Case& work) {
  if (!side) return;
  const auto answer = side->content(work.answer, work.buffers[work.answer].bytes.size());
  if (answer && agrees(work, *answer)) return;
  std::fprintf(stderr, "%s: %.*s disagrees with plain C++\n", work.file.c_str(),
               static_cast<int>(device.size()), device.data());
  failed_ = true;
}

template <typename F>
void measure(std::vector<double>& times, F&& f) {
  const double start = now();
  f();
  times.push_back(now() - start);
}

void Bench::compare(const CaseMaker& named, std::string_view group) {
  const auto ours = place_ours(named);
  const auto theirs = place_theirs(named);
  Case work = named.make();
  work.plain(work);
  check(ours, "cpu", work);
  check(theirs, "software Vulkan", work);
  std::vector<double> plain_times;
  std::vector<double> our_times;
  std::vector<double> their_times;
  for (int round = 0; round < request_.rounds; ++round) {
    measure(plain_times, [&] { work.plain(work); });
    if (ours) measure(our_times, [&] { static_cast<void>(ours->run()); });
    if (theirs) measure(their_times, [&] { static_cast<void>(theirs->run()); });
  }
  const double scale = 1e9 / work.items;
  const double plain = median(plain_times) * scale;
  const double mine = median(our_times) * scale;
  const double other = median(their_times) * scale;
  std::printf("%-14s %10.3f %10.3f %10.3f %9.2f %9.2f\n", named.name.c_str(), plain, mine, other,
              mine > 0 ? plain / mine : 0, mine > 0 ? other / mine : 0);
  std::fflush(stdout);
  rows_.push_back({{"kernel", named.name},
                   {"group", group},
                   {"plain", plain},
                   {"cpu", mine},
                   {"vulkan", other}});
}

/// Microseconds that a dispatch of one workgroup takes.
void Bench::small_dispatch() {
  constexpr int kTimes = 2000;
  const CaseMaker one = {"one workgroup", [] {
                           return Case{"examples/kernels/increment",
                                       "",
                                       {1, 1, 1},
                                       {{"data", zeros(64)}},
                                       0,
                                       Alike::exactly,
                                       64,
                                       {}};
                         }};
  const auto placed = place_ours(one);
  if (!placed) return;
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i)
    measure(times, [&] { static_cast<void>(placed->run()); });
  std::printf("a dispatch of one workgroup: %.2f us\n", median(times) * 1e6);
}

bool Bench::save() const {
  if (request_.json.empty()) return true;
  std::ofstream file{std::string(request_.json)};
  file << rows_.dump(1) << '\n';
  if (file.flush()) return true;
  std::fprintf(stderr, "cannot write %s\n", std::string(request_.json).c_str());
  return false;
}

int Bench::run() {
  cpu_ = opened("cpu");
  if (!request_.other.empty()) vulkan_ = opened(request_.other);
  if (vulkan_) std::printf("other device: %s\n", vulkan_->info().name.c_str());
  std::printf("ns an item     %10s %10s %10s %9s %9s\n", "plain", "cpu", "vulkan", "plain/cpu",
              "vulkan/cpu");
  const auto all = [&](const std::vector<CaseMaker>& cases, std::string_view group) {
    for (const CaseMaker& named : cases)
      if (request_.only.empty() || request_.only == named.name) compare(named, group);
  };
  all(basic_cases(), "basic");
  all(real_cases(), "real");
  if (request_.only.empty()) small_dispatch();
  return save() && !failed_ ? 0 : 1;
}

int main(int count, char** arguments) {
  Request request;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    const bool more = i + 1 < count;
    if (word == "--wall") by_wall = true;
    if (word == "--no-vulkan") request.other = "";
    if (word == "--rounds" && more) request.rounds = std::atoi(arguments[++i]);
    if (word == "--only" && more) request.only = arguments[++i];
    if (word == "--json" && more) request.json = arguments[++i];
  }
  return Bench(request).run();
}

}  // namespace
}  // namespace vyre::bench

int main(int count, char** words) {
  return vyre::bench::main(count, words);
}
