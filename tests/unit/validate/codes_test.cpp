// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "support.h"

// Every code that validation owns is reported for some program.
namespace vyre {
namespace {

const std::map<Code, Fill>& faulty() {
  static const std::map<Code, Fill> kFaulty = {
      {Code::type_mismatch, [](Kernel& k) { k.when(k.u32(1), [] {}); }},
      {Code::internal_limit,
       [](Kernel& k) {
         for (std::uint32_t i = 0; i <= kMaxStatements; ++i)
           k.sync();
       }},
      {Code::malformed_program, [](Kernel& k) { k.trap(TrapId{7}, k.u32(1)); }},
      {Code::out_of_scope,
       [](Kernel& k) {
         VarId x = {};
         k.when(k.less(k.gid(), 3), [&] { x = k.var(ScalarType::u32); });
         k.get(x);
       }},
      {Code::misplaced_jump, [](Kernel& k) { k.break_(); }},
      {Code::bad_workgroup_size, {}},
      {Code::duplicate_name, [](Kernel& k) { k.edit(k.out).name = "in"; }},
      {Code::duplicate_binding, [](Kernel& k) { k.edit(k.out).binding = 0; }},
      {Code::bad_constant, [](Kernel& k) { k.let(k.constant(ScalarType::boolean, 7)); }},
      {Code::bad_case,
       [](Kernel& k) {
         k.switch_(k.gid(), {{{}, k.block([] {})}}, k.block([] {}));
       }},
      {Code::bad_operand, [](Kernel& k) { k.let(k.length(k.tile)); }},
      {Code::bad_path, [](Kernel& k) { k.load({.buffer = k.in}); }},
      {Code::read_only_memory, [](Kernel& k) { k.store(Kernel::at(k.in, k.gid()), k.u32(1)); }},
      {Code::atomic_access,
       [](Kernel& k) { k.atomic(AtomicOp::add, Kernel::at(k.out, k.gid()), k.u32(1)); }},
      {Code::bad_layout, [](Kernel& k) { k.layout({.align = 3}); }},
      {Code::bad_buffer, [](Kernel& k) { k.edit(k.tile).layout = words(k, 0); }},
      {Code::local_too_large,
       [](Kernel& k) {
         k.edit(k.tile).space = Space::local;
         k.edit(k.tile).layout = words(k, 20000);
       }},
      {Code::divergent_barrier, [](Kernel& k) { k.when(k.less(k.gid(), 3), [&] { k.sync(); }); }},
      {Code::divergent_subgroup,
       [](Kernel& k) {
         k.when(k.less(k.gid(), 3), [&] {
           k.subgroup(SubgroupOp::elect, ScalarType::boolean, kNone<ExprId>, kNone<ExprId>);
         });
       }},
      {Code::divergent_operand, [](Kernel& k) { k.uniform_load(Kernel::at(k.tile, k.lid())); }},
  };
  return kFaulty;
}

Program program_with(Code code) {
  if (code == Code::bad_workgroup_size) return Assembler("empty", {0, 1, 1}).finish();
  Kernel k;
  faulty().at(code)(k);
  return std::move(k).done();
}

TEST(CodesTest, EachIsReportedWithMessageAndHelp) {
  for (const auto& [code, fill] : faulty()) {
    const auto result = validate(program_with(code));
    ASSERT_FALSE(result.has_value()) << info(code).name;
    ASSERT_EQ(codes_of(result.error().diagnostics()), (Codes{std::string(info(code).name)}));
    EXPECT_FALSE(result.error().diagnostics()[0].message.empty());
    EXPECT_FALSE(result.error().diagnostics()[0].help.empty());
    EXPECT_EQ(result.error().kind(), ErrorKind::compile_failed);
  }
}

TEST(CodesTest, NoneIsForgotten) {
  for (auto code = static_cast<unsigned>(Code::malformed_program);
       code <= static_cast<unsigned>(Code::divergent_operand); ++code)
    EXPECT_TRUE(faulty().contains(static_cast<Code>(code))) << info(static_cast<Code>(code)).name;
}

}  // namespace
}  // namespace vyre
