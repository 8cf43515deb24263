// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/job.h"

#include <string>

#include <gtest/gtest.h>

#include "ir/assembler.h"
#include "unit/cli/programs.h"

namespace vyre::cli {
namespace {

void add(Assembler& assembler, const char* name, Space space, Access access, LayoutId layout) {
  BufferDecl buffer;
  buffer.name = name;
  buffer.space = space;
  buffer.access = access;
  buffer.layout = layout;
  buffer.binding = static_cast<std::uint32_t>(name[0]);
  assembler.buffer(std::move(buffer));
}

/// params: Params (uniform), input: array<f32> (read), output: array<f32>, log: Log, bins: u32 × 4
Program program(std::array<std::uint32_t, 3> workgroup = {64, 1, 1}) {
  Assembler a("test", workgroup);
  const LayoutId floats = a.array(a.scalar(ScalarType::f32), 0);
  add(a, "params", Space::uniform, Access::input, params(a));
  add(a, "input", Space::storage, Access::input, floats);
  add(a, "output", Space::storage, Access::in_out, floats);
  add(a, "log", Space::storage, Access::in_out, log_with_rows(a));
  add(a, "bins", Space::storage, Access::in_out, a.array(a.atomic(ScalarType::u32), 4));
  add(a, "tile", Space::workgroup, Access::input, a.array(a.scalar(ScalarType::u32), 4));
  return std::move(a).finish();
}

/// Arguments that are complete.
JobWords complete() {
  JobWords words;
  words.inputs = {"params=1,2,3,4,5", "input=1,2,3"};
  words.counts = {"output=input", "log=2"};
  return words;
}

const JobBuffer& buffer_of(const Job& job, std::string_view name) {
  for (const JobBuffer& buffer : job.buffers) {
    if (buffer.buffer->name == name) return buffer;
  }
  ADD_FAILURE() << name;
  return job.buffers.front();
}

std::vector<std::string> faults(const Program& program, const JobWords& words) {
  Job job;
  std::vector<std::string> messages;
  for (const Error& error : prepare_job(program, words, job))
    messages.push_back(error.message());
  return messages;
}

using Messages = std::vector<std::string>;

TEST(JobCounts, ComeFromBytesNumbersNamesAndTypes) {
  const Program p = program();
  Job job;
  ASSERT_TRUE(prepare_job(p, complete(), job).empty());
  ASSERT_EQ(job.buffers.size(), 5U);  // no workgroup memory
  EXPECT_EQ(buffer_of(job, "params").count, 1U);
  EXPECT_EQ(buffer_of(job, "input").count, 3U);
  EXPECT_EQ(buffer_of(job, "output").count, 3U);
  EXPECT_EQ(buffer_of(job, "log").count, 2U);
  EXPECT_EQ(buffer_of(job, "bins").count, 4U);
  EXPECT_TRUE(buffer_of(job, "input").supplied);
  EXPECT_FALSE(buffer_of(job, "bins").supplied);
}

TEST(JobCounts, FollowNamesOverSeveralBuffers) {
  const Program p = program();
  JobWords words = complete();
  words.counts = {"output=log", "log=input"};
  Job job;
  ASSERT_TRUE(prepare_job(p, words, job).empty());
  EXPECT_EQ(buffer_of(job, "output").count, 3U);
}

TEST(JobCounts, AreWidthByHeight) {
  const Program p = program();
  JobWords words = complete();
  words.counts = {"output=3x2", "log=output"};
  words.outputs = {"output=" + testing::TempDir() + "o.npy", "output=-"};
  Job job;
  ASSERT_EQ(prepare_job(p, words, job).size(), 0U);
  EXPECT_EQ(buffer_of(job, "output").count, 6U);
  EXPECT_EQ(buffer_of(job, "log").count, 6U);
  EXPECT_EQ(job.sinks[0].rows, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(job.sinks[1].rows, std::nullopt);
}

TEST(JobCounts, AreThoseOfAShape) {
  const Program p = program();
  JobWords words = complete();
  words.counts = {"log=output"};
  words.shapes = {"output=4,5"};
  Job job;
  ASSERT_EQ(prepare_job(p, words, job).size(), 0U);
  EXPECT_EQ(buffer_of(job, "output").count, 20U);
  EXPECT_EQ(buffer_of(job, "log").count, 20U);
  words.counts = {"log=1"};
  words.shapes = {"output=65536,65536"};
  EXPECT_EQ(faults(p, words), (Messages{"buffer `output` (array<f32>) holds at most 4294967295 "
                                        "elements, but its shape is (65536, 65536)"}));
  words.shapes = {"output=4294967296,4294967296,4294967296"};
  EXPECT_EQ(faults(p, words).size(), 1U);
}

TEST(JobCounts, SizesThatAreNone) {
  const Program p = program();
  for (const char* word : {"3x", "x3", "3x2x", "3X2", "0x10g", "3 x2", "-3x2", "3x-2"}) {
    JobWords words = complete();
    words.counts = {std::string("output=") + word, "log=2"};
    EXPECT_EQ(faults(p, words).size(), 1U) << word;
  }
  JobWords words = complete();
  words.counts = {"output=99999999999999999999x1", "log=2"};
  EXPECT_EQ(faults(p, words),
            (Messages{"buffer `output` (array<f32>) holds at most 4294967295 elements, but -n asks "
                      "for 99999999999999999999x1"}));
}

TEST(JobCounts, Faults) {
  const Program p = program();
  JobWords words = complete();
  words.counts = {"output=log", "log=output"};
  EXPECT_EQ(faults(p, words), (Messages{"-n goes round in a circle at buffer `output`",
                                        "-n goes round in a circle at buffer `log`"}));
  words.counts = {"output=4294967296", "log=2"};
  EXPECT_EQ(faults(p, words), (Messages{"buffer `output` (array<f32>) holds at most 4294967295 "
                                        "elements, but -n asks for 4294967296"}));
  words.counts = {"output=99999999999999999999", "log=2"};
  EXPECT_EQ(faults(p, words).size(), 1U);
  words.counts = {"output=1", "log=2", "bins=3"};
  EXPECT_EQ(faults(p, words), (Messages{"buffer `bins` (array<atomic<u32>, 4>) has a fixed size, "
                                        "which -n cannot set"}));
  words.counts = {"output=1", "log=2", "input=3"};
  EXPECT_EQ(faults(p, words), (Messages{"buffer `input` (array<f32>) has its count from -i; -n "
                                        "cannot set it too"}));
  words.counts = {"output=1", "log=2", "output=1"};
  EXPECT_EQ(faults(p, words), (Messages{"buffer `output` (array<f32>) is given twice with -n"}));
  words.counts = {"output=inptu", "log=2"};
  EXPECT_EQ(faults(p, words), (Messages{"there is no buffer `inptu`; there are `params`, `input`, "
                                        "`output`, `log` and `bins`"}));
}

TEST(JobMembers, StartFromZerosOrFromTheBytesGiven) {
  const Program p = program();
  JobWords words = complete();
  words.inputs = {"input=1", "bins=9,8"};
  words.members = {"params.width=7", "log.rows[1]=-1,-2", "log.used=3", "bins[3]=5"};
  Job job;
  ASSERT_TRUE(prepare_job(p, words, job).empty());
  EXPECT_EQ(values_of<std::uint32_t>(buffer_of(job, "params").bytes)[0], 7U);
  EXPECT_EQ(values_of<std::uint32_t>(buffer_of(job, "params").bytes)[1], 0U);
  EXPECT_EQ(values_of<std::int32_t>(buffer_of(job, "log").bytes),
            (std::vector<std::int32_t>{3, 0, 0, 0, -1, -2}));
  EXPECT_EQ(values_of<std::uint32_t>(buffer_of(job, "bins").bytes),
            (std::vector<std::uint32_t>{9, 8, 0, 5}));
}

TEST(JobMembers, Faults) {
  const Program p = program();
  JobWords words = complete();
  words.members = {"params.width=1.5", "parms.width=1", "log.rows[2]=1,2", "params"};
  EXPECT_EQ(
      faults(p, words),
      (Messages{"params.width: `1.5` is no value of type u32",
                "there is no buffer `parms`; there are `params`, `input`, `output`, `log` and "
                "`bins`",
                "index 2 is beyond array<vec2<i32>> of 2 elements",
                "`params` is not of the form -s PATH=VALUE"}));
}

TEST(JobMembers, NeedACount) {
  const Program p = program();
  JobWords words = complete();
  words.counts = {"output=1"};
  words.members = {"log.used=1"};
  EXPECT_EQ(faults(p, words), (Messages{"buffer `log` (Log) has no size"}));
}

TEST(JobInputs, AllThatIsMissingIsReported) {
  const Program p = program();
  EXPECT_EQ(faults(p, {}), (Messages{"buffer `params` (Params) is only read, but has no bytes",
                                     "buffer `input` (array<f32>) is only read, but has no bytes",
                                     "buffer `output` (array<f32>) has no size",
                                     "buffer `log` (Log) has no size"}));
}

TEST(JobInputs, FaultsOfSeveralArgumentsAreReportedTogether) {
  const Program p = program();
  JobWords words = complete();
  words.inputs = {"params=1", "inputs=1", "input=x/y", "input=1", "bins"};
  EXPECT_EQ(
      faults(p, words),
      (Messages{"buffer `params` (Params) takes 5 numbers an element, but `1` has 1",
                "there is no buffer `inputs`; there are `params`, `input`, `output`, `log` and "
                "`bins`",
                "cannot open `x/y`: No such file or directory",
                "buffer `input` (array<f32>) is given twice with -i",
                "`bins` is not of the form -i NAME=SOURCE"}));
}

TEST(JobSizes, MoreThanAnyMachineHas) {
  const Program p = program_with(
      [](Assembler& a) { return a.array(a.array(a.vector(ScalarType::f32, 4), 1U << 20), 0); });
  JobWords words;
  words.counts = {"data=4294967295"};
  const Messages messages = faults(p, words);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_TRUE(
      messages[0].starts_with("buffer `data` (array<array<vec4<f32>, 1048576>>) needs "
                              "72057594021150720 bytes, but "))
      << messages[0];
}

TEST(JobGrid, CountsWorkgroups) {
  const Program p = program({8, 4, 1});
  JobWords words = complete();
  words.grid = "3,2";
  Job job;
  ASSERT_TRUE(prepare_job(p, words, job).empty());
  EXPECT_EQ(job.grid, (std::array<std::uint32_t, 3>{3, 2, 1}));
}

TEST(JobGrid, RoundsInvocationsUp) {
  const Program p = program({8, 4, 1});
  JobWords words = complete();
  words.threads = "17,8,5";
  Job job;
  ASSERT_TRUE(prepare_job(p, words, job).empty());
  EXPECT_EQ(job.grid, (std::array<std::uint32_t, 3>{3, 2, 5}));
}

TEST(JobGrid, OneDimensionNeedsNone) {
  const Program p = program();
  Job job;
  ASSERT_TRUE(prepare_job(p, complete(), job).empty());
  EXPECT_FALSE(job.grid);
}

TEST(JobGrid, Faults) {
  const Program p = program({8, 4, 1});
  JobWords words = complete();
  EXPECT_EQ(faults(p, words), (Messages{"a grid of workgroups of 8 by 4 cannot be inferred"}));
  words.grid = "1,2,3,4";
  EXPECT_EQ(faults(p, words), (Messages{"-g takes one to three numbers, but `1,2,3,4` has 4"}));
  for (const char* text : {"0", "x", "-1", "4294967296", "1.5"}) {
    words.grid = text;
    EXPECT_EQ(faults(p, words),
              (Messages{"`" + std::string(text) + "` of -g is no number from 1 to 4294967295"}));
  }
  words.threads = "1";
  EXPECT_EQ(faults(p, words), (Messages{"-g and --threads both say how much to run"}));
}

TEST(JobSinks, NameWhatComesBack) {
  const Program p = program();
  JobWords words = complete();
  words.outputs = {"output=a.npy", "bins=-"};
  words.shapes = {"output=1,3"};
  Job job;
  ASSERT_TRUE(prepare_job(p, words, job).empty());
  ASSERT_EQ(job.sinks.size(), 2U);
  EXPECT_EQ(job.sinks[0].buffer->name, "output");
  EXPECT_EQ(job.sinks[0].rows, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_FALSE(job.sinks[1].rows);
}

TEST(JobSinks, Faults) {
  const Program p = program();
  JobWords words = complete();
  words.outputs = {"input=a.bin", "ouput=b.bin", "output=c.npy", "log=", "log=d.npy"};
  words.shapes = {"output=2,2", "bins=2,2", "output=1,3"};
  EXPECT_EQ(
      faults(p, words),
      (Messages{"buffer `input` (array<f32>) is only read and does not come back; what comes "
                "back: `output`, `log` and `bins`",
                "there is no buffer `ouput`; there are `params`, `input`, `output`, `log` and "
                "`bins`",
                "--shape names buffer `bins`, which no -o writes",
                "buffer `output` (array<f32>) is given twice with --shape",
                "--shape (2, 2) does not fit buffer `output` (array<f32>), which has 3 elements",
                "buffer `log` (Log) was given an empty file name",
                "buffer `log` (Log) ends with a runtime-sized array, which no record of `d.npy` "
                "can hold"}));
}

}  // namespace
}  // namespace vyre::cli
