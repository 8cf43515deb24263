// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/vyre.h"

#include "plain.h"

// The kernels of examples/kernels on the CPU machine, on a software Vulkan driver and as plain C++.
//
//   vyre_cpu_bench [--rounds N] [--wall] [--only NAME]
//
// The sides take turns; a figure is the median of the rounds.  Time is what all threads of the
// process spent on processors, so other work on the machine does not count; --wall looks at the
// clock instead.  Buffers are resident: copies to and from the device are not measured.
namespace vyre::bench {
namespace {

using Bytes = std::vector<std::byte>;

struct Named {
  std::string name;
  Bytes bytes;
};

/// One kernel and its work.
struct Case {
  std::string name;
  std::string file;
  std::string entry;
  std::array<std::uint32_t, 3> grid;
  std::vector<Named> buffers;
  double items;  ///< for the figures per item
  std::function<void(Case&)> plain;

  template <typename T = std::uint32_t>
  std::span<T> span(std::size_t i) {
    return {reinterpret_cast<T*>(buffers[i].bytes.data()), buffers[i].bytes.size() / sizeof(T)};
  }
};

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  const auto raw = std::as_bytes(std::span(values));
  return {raw.begin(), raw.end()};
}
Bytes zeros(std::size_t words) {
  return Bytes(words * 4);
}
Bytes random_words(std::size_t count) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> words(count);
  for (auto& word : words)
    word = static_cast<std::uint32_t>(random());
  return bytes_of(words);
}
Bytes random_floats(std::size_t count) {
  std::mt19937 random(2);
  std::vector<float> values(count);
  for (auto& value : values)
    value = static_cast<float>(random() >> 8) * 0x1p-24F;
  return bytes_of(values);
}
template <typename... T>
Bytes block(T... values) {
  Bytes bytes;
  const auto append = [&](auto value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  };
  (append(values), ...);
  return bytes;
}

volatile std::uint32_t sink;  ///< keeps results that nobody reads

constexpr std::uint32_t kCount = 1u << 24;
constexpr std::uint32_t kSide = 2048;
constexpr std::uint32_t kMatrix = 512;
constexpr std::uint32_t kImage = 1024;

std::vector<Case> streams() {
  std::vector<Case> cases;
  cases.push_back({"saxpy",
                   "saxpy",
                   "",
                   {1024, 1, 1},
                   {{"params", block(kCount, 0.5F)},
                    {"x", random_floats(kCount)},
                    {"y", random_floats(kCount)}},
                   kCount,
                   [](Case& c) { saxpy(0.5F, c.span<float>(1), c.span<float>(2)); }});
  cases.push_back({"add",
                   "add",
                   "",
                   {kCount / 256, 1, 1},
                   {{"a", random_words(kCount)}, {"b", random_words(kCount)}, {"c", zeros(kCount)}},
                   kCount,
                   [](Case& c) { add(c.span(0), c.span(1), c.span(2)); }});
  cases.push_back({"sum",
                   "reduce_sum",
                   "",
                   {256, 1, 1},
                   {{"src", random_words(kCount)}, {"dst", zeros(256)}},
                   kCount,
                   [](Case& c) { sink = sum(c.span(0)); }});
  cases.push_back({"histogram",
                   "histogram",
                   "",
                   {256, 1, 1},
                   {{"words", random_words(kCount / 4)}, {"bins", zeros(256)}},
                   kCount / 4,
                   [](Case& c) { histogram(c.span(0), c.span(1)); }});
  cases.push_back(
      {"scan",
       "scan",
       "scan_blocks",
       {kCount / 1024, 1, 1},
       {{"src", random_words(kCount)}, {"dst", zeros(kCount)}, {"sums", zeros(kCount / 1024)}},
       kCount,
       [](Case& c) { scan_blocks(c.span(0), c.span(1), c.span(2)); }});
  return cases;
}

std::vector<Case> grids() {
  std::vector<Case> cases;
  cases.push_back({"stencil",
                   "stencil3x3",
                   "",
                   {kSide / 16, kSide / 16, 1},
                   {{"params", block(kSide, kSide)},
                    {"src", random_floats(kSide * kSide)},
                    {"dst", zeros(kSide * kSide)}},
                   kSide * kSide,
                   [](Case& c) { stencil(kSide, kSide, c.span<float>(1), c.span<float>(2)); }});
  const auto matrix = [&](const char* file) {
    cases.push_back({file,
                     file,
                     "",
                     {kMatrix / 16, kMatrix / 16, 1},
                     {{"dims", block(kMatrix, kMatrix, kMatrix)},
                      {"a", random_floats(kMatrix * kMatrix)},
                      {"b", random_floats(kMatrix * kMatrix)},
                      {"c", zeros(kMatrix * kMatrix)}},
                     double{kMatrix} * kMatrix * kMatrix,
                     [](Case& c) {
                       matmul(kMatrix, kMatrix, kMatrix, c.span<float>(1), c.span<float>(2),
                              c.span<float>(3));
                     }});
  };
  matrix("matmul");
  matrix("matmul_tiled");
  cases.push_back({"mandelbrot",
                   "mandelbrot",
                   "",
                   {kImage / 16, kImage / 16, 1},
                   {{"params", block(kImage, kImage, 256u)}, {"counts", zeros(kImage * kImage)}},
                   kImage * kImage,
                   [](Case& c) { mandelbrot(kImage, kImage, 256, c.span(1)); }});
  return cases;
}

// ---- measuring

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
  std::ifstream stream(std::string(VYRE_KERNELS) + "/" + file + ".wgsl");
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A case with its buffers on one device.
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

 private:
  OnDevice(const Device& device, ValidProgram program)
      : device_(device), program_(std::move(program)) {}

  Device device_;
  ValidProgram program_;
  DispatchOptions options_;
  std::vector<std::pair<std::string, Buffer>> buffers_;
};

std::optional<OnDevice> place(const std::optional<Device>& device, const Case& work) {
  if (!device) return std::nullopt;
  auto placed = OnDevice::make(*device, work);
  if (placed) return *std::move(placed);
  std::fprintf(stderr, "%s on %s: %s\n", work.name.c_str(), device->info().backend.c_str(),
               placed.error().to_string().c_str());
  return std::nullopt;
}

template <typename F>
void measure(std::vector<double>& times, F&& f) {
  const double start = now();
  f();
  times.push_back(now() - start);
}

void compare(Case& work,
             const std::optional<Device>& cpu,
             const std::optional<Device>& vulkan,
             int rounds) {
  const auto ours = place(cpu, work);
  const auto theirs = place(vulkan, work);
  std::vector<double> plain_times;
  std::vector<double> our_times;
  std::vector<double> their_times;
  work.plain(work);
  for (int round = 0; round < rounds; ++round) {
    measure(plain_times, [&] { work.plain(work); });
    if (ours) measure(our_times, [&] { static_cast<void>(ours->run()); });
    if (theirs) measure(their_times, [&] { static_cast<void>(theirs->run()); });
  }
  const double scale = 1e9 / work.items;
  const double plain = median(plain_times) * scale;
  const double mine = median(our_times) * scale;
  const double other = median(their_times) * scale;
  std::printf("%-14s %10.3f %10.3f %10.3f %9.2f %9.2f\n", work.name.c_str(), plain, mine, other,
              mine > 0 ? plain / mine : 0, mine > 0 ? other / mine : 0);
  std::fflush(stdout);
}

/// Microseconds that a dispatch of one workgroup takes.
void small_dispatch(const Device& cpu) {
  constexpr int kTimes = 2000;
  const Case work{"one workgroup", "increment", "", {1, 1, 1}, {{"data", zeros(64)}}, 64, {}};
  const auto placed = place(cpu, work);
  if (!placed) return;
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i)
    measure(times, [&] { static_cast<void>(placed->run()); });
  std::printf("a dispatch of one workgroup: %.2f us\n", median(times) * 1e6);
}

std::optional<Device> opened(std::string_view which) {
  auto device = open(which);
  if (device) return *std::move(device);
  std::fprintf(stderr, "%s\n", device.error().to_string().c_str());
  return std::nullopt;
}

int main(int count, char** words) {
  int rounds = 5;
  std::string_view only;
  std::string_view other = "wgpu";
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--wall") by_wall = true;
    if (word == "--no-vulkan") other = "";
    if (word == "--rounds" && i + 1 < count) rounds = std::atoi(words[++i]);
    if (word == "--only" && i + 1 < count) only = words[++i];
  }
  const auto cpu = opened("cpu");
  const auto vulkan = other.empty() ? std::nullopt : opened(other);
  if (vulkan) std::printf("other device: %s\n", vulkan->info().name.c_str());
  std::printf("ns an item     %10s %10s %10s %9s %9s\n", "plain", "cpu", "vulkan", "plain/cpu",
              "vulkan/cpu");
  for (auto make : {streams, grids})
    for (Case& work : make())
      if (only.empty() || only == work.name) compare(work, cpu, vulkan, rounds);
  if (cpu && only.empty()) small_dispatch(*cpu);
  return 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int count, char** words) {
  return vyre::bench::main(count, words);
}
