// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/trace.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "vyre/device.h"
#include "vyre/sequence.h"

#include "support/kernels.h"

namespace vyre {
namespace {

using Json = nlohmann::json;
using std::chrono::microseconds;

/// A file of its own, gone with the test.
class File {
 public:
  File() {
    static int count = 0;
    path_ = testing::TempDir() + "trace-" + std::to_string(::getpid()) + "-" +
            std::to_string(count++) + ".json";
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string text() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  [[nodiscard]] Json events() const { return Json::parse(text()); }

 private:
  std::string path_;
};

Trace& trace_to(const File& file) {
  const auto trace = Trace::to(file.path());
  EXPECT_TRUE(trace) << trace.error().to_string();
  return **trace;
}

std::vector<Json> named(const Json& events, const std::string& name) {
  std::vector<Json> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found),
               [&](const Json& event) { return event["name"] == name; });
  return found;
}

Json only(const Json& events, const std::string& name) {
  const auto found = named(events, name);
  EXPECT_EQ(found.size(), 1u) << name << " in " << events.dump(1);
  return found.empty() ? Json() : found[0];
}

/// Of what the format counts in microseconds.
double end_of(const Json& event) {
  return event["ts"].get<double>() + event["dur"].get<double>();
}

bool within(const Json& inner, const Json& outer) {
  constexpr double kRounding = 0.0015;
  return inner["tid"] == outer["tid"] && inner["ts"] >= outer["ts"] &&
         end_of(inner) <= end_of(outer) + kRounding;
}

TEST(Trace, IsWholeJsonAfterEveryEvent) {
  const File file;
  Trace& trace = trace_to(file);
  EXPECT_TRUE(file.events().is_array());
  for (int i = 0; i < 3; ++i) {
    const auto now = Trace::Clock::now();
    trace.span("step", "", now, now + microseconds(5));
    EXPECT_EQ(named(file.events(), "step").size(), static_cast<std::size_t>(i) + 1);
  }
}

TEST(Trace, CountsMicroseconds) {
  const File file;
  Trace& trace = trace_to(file);
  const auto begin = Trace::Clock::now();
  trace.span("first", "", begin, begin + std::chrono::nanoseconds(1500));
  trace.span("second", "", begin + microseconds(2000), begin + microseconds(2007));
  const Json first = only(file.events(), "first");
  const Json second = only(file.events(), "second");
  EXPECT_EQ(first["ph"], "X");
  EXPECT_DOUBLE_EQ(first["dur"], 1.5);
  EXPECT_DOUBLE_EQ(second["dur"], 7);
  EXPECT_NEAR(second["ts"].get<double>() - first["ts"].get<double>(), 2000, 1e-6);
  EXPECT_EQ(first["pid"], ::getpid());
}

TEST(Trace, EscapesNamesAndLabels) {
  const File file;
  Trace& trace = trace_to(file);
  const auto now = Trace::Clock::now();
  const std::string odd = "a \"b\" \\ \n\x01 µ";
  trace.span(odd, odd, now, now);
  trace.add_row(odd);
  trace.span("bytes", "\xff", now, now);
  EXPECT_EQ(only(file.events(), odd)["args"]["label"], odd);
  const auto names = named(file.events(), "thread_name");
  EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                          [&](const Json& event) { return event["args"]["name"] == odd; }));
  EXPECT_EQ(only(file.events(), "bytes")["args"]["label"], "\xef\xbf\xbd");
}

// The format lets a list go without its end; a line that was cut is the last thing in it.
TEST(Trace, HasAnEventALineSoThatACutFileOpens) {
  const File file;
  Trace& trace = trace_to(file);
  const auto now = Trace::Clock::now();
  for (int i = 0; i < 4; ++i)
    trace.span("line\nbreak", "label", now, now);
  std::stringstream lines(file.text());
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "[");
  std::size_t events = 0;
  while (std::getline(lines, line) && line != "]") {
    if (line.back() == ',') line.pop_back();
    EXPECT_TRUE(Json::parse(line).is_object()) << line;
    ++events;
  }
  EXPECT_EQ(events, file.events().size());
  EXPECT_EQ(named(file.events(), "line\nbreak").size(), 4u);
}

TEST(Trace, HasARowForEveryThread) {
  const File file;
  Trace& trace = trace_to(file);
  const auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      const TraceSpan outer(&trace, "outer");
      const TraceSpan inner(&trace, "inner", "label");
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads)
    thread.join();
  const Json events = file.events();
  std::set<int> rows;
  for (const Json& event : named(events, "inner"))
    rows.insert(event["tid"].get<int>());
  EXPECT_EQ(rows.size(), 4u);
  EXPECT_EQ(named(events, "inner").size(), 400u);
  EXPECT_EQ(named(events, "thread_name").size(), 4u);
}

TEST(Trace, DrawsADeviceThatIsBusyOneWorkAfterTheOther) {
  const File file;
  Trace& trace = trace_to(file);
  const std::uint32_t row = trace.add_row("gpu");
  const auto now = Trace::Clock::now() + microseconds(500);
  trace.device_span(row, "a", "", microseconds(100), now);
  trace.device_span(row, "b", "", microseconds(100), now);
  const Json a = only(file.events(), "a");
  const Json b = only(file.events(), "b");
  EXPECT_EQ(a["tid"], b["tid"]);
  EXPECT_GE(b["ts"].get<double>(), end_of(a) - 0.0015);
  EXPECT_DOUBLE_EQ(b["dur"], 100);
}

TEST(Trace, ThatCannotBeMadeIsAnError) {
  const auto trace = Trace::to("/no/such/folder/trace.json");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().kind(), ErrorKind::io);
  const auto device = open("cpu", {.trace = "/no/such/folder/trace.json"});
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().message().find("/no/such/folder/trace.json"), std::string::npos);
}

TEST(Trace, ThatCannotBeBegunIsAnError) {
  for (int i = 0; i < 2; ++i) {  // asked again, it is tried again
    const auto full = Trace::to("/dev/full");
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().kind(), ErrorKind::io);
    EXPECT_EQ(full.error().code(), "cannot-write");
    EXPECT_NE(full.error().message().find("`/dev/full`"), std::string::npos)
        << full.error().message();
  }
  const auto failure = Trace::failure();  // of those that were begun
  EXPECT_TRUE(!failure || failure->message().find("/dev/full") == std::string::npos);
}

/// No file of this process may grow while it lives.
class FullDisk {
 public:
  FullDisk() {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none = {0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(Trace, ThatCannotBeWrittenAnyMoreEndsAloneAndTells) {
  const File file;
  Trace& trace = trace_to(file);
  const auto now = Trace::Clock::now();
  trace.span("first", "", now, now);
  {
    const FullDisk full;
    trace.span("second", "", now, now);
  }
  trace.span("third", "", now, now);
  only(file.events(), "first");
  EXPECT_TRUE(named(file.events(), "third").empty());
  const auto failure = Trace::failure();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind(), ErrorKind::io);
  EXPECT_EQ(failure->code(), "cannot-write");
  EXPECT_NE(failure->message().find(file.path()), std::string::npos) << failure->message();
}

TEST(Trace, NamesTheProcessInThePath) {
  const std::string folder = testing::TempDir();
  ASSERT_TRUE(Trace::to(folder + "trace-%p.json"));
  const std::string path = folder + "trace-" + std::to_string(::getpid()) + ".json";
  EXPECT_TRUE(std::filesystem::remove(path));
}

TEST(Trace, OfTheEnvironmentIsOffUnlessNamed) {
  ::unsetenv("VYRE_TRACE");
  EXPECT_EQ(*Trace::from_environment(), nullptr);
  ::setenv("VYRE_TRACE", "", 1);
  EXPECT_EQ(*Trace::from_environment(), nullptr);
  const File file;
  ::setenv("VYRE_TRACE", file.path().c_str(), 1);
  EXPECT_EQ(*Trace::from_environment(), *Trace::to(file.path()));
  ::unsetenv("VYRE_TRACE");
}

// --------------------------------------------------------------------------- traces of dispatches

class TracedDevice : public testing::TestWithParam<const char*> {
 protected:
  TracedDevice() : device_(open(GetParam(), {.trace = file_.path()})) {}

  Status dispatch(const std::string& label) {
    const std::vector<float> in(100, 1.0F);
    DispatchOptions options;
    options.label = label;
    VYRE_TRY(const auto program, test::copy_kernel<float>());
    VYRE_TRY(const auto out, device_->dispatch(program, {{"in", in}}, options));
    return Ok{};
  }

  File file_;
  Result<Device> device_;
};

TEST_P(TracedDevice, HasThePhasesOfADispatchInside) {
  ASSERT_TRUE(device_) << device_.error().to_string();
  ASSERT_TRUE(dispatch("my \"job\""));
  const Json events = file_.events();
  const Json whole = only(events, "dispatch");
  EXPECT_EQ(whole["args"]["label"], "my \"job\"");
  std::vector<double> starts;
  for (const char* phase : {"plan", "compile", "acquire", "upload", "encode", "submit"}) {
    const Json event = only(events, phase);
    EXPECT_TRUE(within(event, whole)) << phase << events.dump(1);
    starts.push_back(event["ts"]);
  }
  EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  const Json wait = only(events, "wait");
  EXPECT_GE(wait["ts"].get<double>(), end_of(whole) - 0.0015);
  EXPECT_TRUE(within(only(events, "readback"), wait));
}

TEST_P(TracedDevice, CompilesOnce) {
  ASSERT_TRUE(dispatch("first"));
  ASSERT_TRUE(dispatch("second"));
  EXPECT_EQ(named(file_.events(), "dispatch").size(), 2u);
  EXPECT_EQ(named(file_.events(), "compile").size(), 1u);
}

TEST_P(TracedDevice, PairsTheEndsOfAFlight) {
  ASSERT_TRUE(dispatch("a"));
  ASSERT_TRUE(dispatch("b"));
  std::vector<std::string> ends;
  for (const Json& event : named(file_.events(), "in flight"))
    ends.push_back(event["ph"].get<std::string>() + event["args"]["label"].get<std::string>());
  EXPECT_EQ(ends, (std::vector<std::string>{"ba", "ea", "bb", "eb"}));
}

TEST_P(TracedDevice, HasTheReplayOfASequenceAndItsSteps) {
  ASSERT_TRUE(device_) << device_.error().to_string();
  const auto program = test::copy_kernel<float>();
  const auto in = device_->allocate(400);
  const auto out = device_->allocate(400);
  Sequence sequence(*device_);
  DispatchOptions options;
  for (const char* label : {"first", "second"}) {
    options.label = label;
    ASSERT_TRUE(sequence.add(*program, {{"in", *in}, {"out", *out}}, options));
  }
  ASSERT_TRUE(sequence.run({.label = "both"}));
  const Json events = file_.events();
  const Json whole = only(events, "replay");
  EXPECT_EQ(whole["args"]["label"], "both");
  EXPECT_TRUE(within(named(events, "submit").back(), whole));
  EXPECT_TRUE(within(only(events, "readback"), only(events, "wait")));
  if (std::string(GetParam()) != "cpu") return;  // null measures nothing
  const auto kernels = named(events, "kernel");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["args"]["label"], "first");
  EXPECT_EQ(kernels[1]["args"]["label"], "second");
  EXPECT_GE(kernels[1]["ts"].get<double>(), end_of(kernels[0]) - 0.0015);
}

TEST_P(TracedDevice, IsNamed) {
  const auto names = named(file_.events(), "thread_name");
  EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const Json& event) {
    return event["args"]["name"].get<std::string>().starts_with(device_->info().selector());
  }));
}

INSTANTIATE_TEST_SUITE_P(Devices, TracedDevice, testing::Values("cpu", "null"));

}  // namespace
}  // namespace vyre
