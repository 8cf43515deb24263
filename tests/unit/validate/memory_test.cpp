// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "support.h"

namespace vyre {
namespace {

// -------------------------------------------------------------------------------------- paths

Program loaded(const std::function<MemoryRef(Kernel&)>& ref) {
  return made([&](Kernel& k) { k.load_all(ref(k)); });
}
/// A buffer `vecs` of array<vec3<f32>>, at an index.
MemoryRef vec(Kernel& k, std::uint8_t first, std::uint8_t count) {
  const BufferId vecs =
      k.buffer({.name = "vecs", .binding = 9, .layout = k.array(k.vector(ScalarType::f32, 3), 0)});
  MemoryRef ref = Kernel::at(vecs, k.gid());
  ref.first = first;
  ref.count = count;
  return ref;
}
/// The same with an index into the components.
MemoryRef component(Kernel& k, std::uint8_t count) {
  MemoryRef ref = vec(k, 0, count);
  ref.path.push_back({.index = k.lid()});
  return ref;
}

TEST(PathTest, EndsAtAScalarOrVector) {
  EXPECT_TRUE(has_only(loaded([](Kernel& k) { return MemoryRef{.buffer = k.in}; }), "bad-path",
                       "the path to `in` ends at an array"));
  EXPECT_TRUE(has_only(loaded([](Kernel& k) { return MemoryRef{.buffer = k.params}; }), "bad-path",
                       "the path to `params` ends at a struct"));
}

TEST(PathTest, StepsFitTheLayout) {
  EXPECT_TRUE(is_valid(loaded([](Kernel& k) { return Kernel::member(k.params, 1); })));
  EXPECT_TRUE(has_only(loaded([](Kernel& k) { return Kernel::member(k.params, 2); }), "bad-path",
                       "`params` has 2 members; member 2 is named"));
  EXPECT_TRUE(has_only(loaded([](Kernel& k) { return Kernel::member(k.in, 0); }), "bad-path",
                       "`in` is an array, which has no members"));
  EXPECT_TRUE(has_only(loaded([](Kernel& k) { return Kernel::at(k.params, k.u32(0)); }), "bad-path",
                       "`params` is a struct, which takes no index"));
  EXPECT_TRUE(has_only(loaded([](Kernel& k) {
                         MemoryRef ref = Kernel::member(k.params, 1);
                         ref.path.push_back({.index = k.u32(0)});
                         return ref;
                       }),
                       "bad-path", "`params.m` is a scalar, which takes no index"));
}

TEST(PathTest, ComponentsFitTheVector) {
  EXPECT_TRUE(is_valid(loaded([](Kernel& k) { return vec(k, 1, 2); })));
  EXPECT_TRUE(is_valid(loaded([](Kernel& k) { return component(k, 1); })));
  EXPECT_TRUE(
      has_only(loaded([](Kernel& k) { return vec(k, 1, 3); }), "bad-path",
               "3 components from 1 on are named of `vecs[…]`, which is a vector of width 3"));
  EXPECT_TRUE(has_only(loaded([](Kernel& k) { return component(k, 2); }), "bad-path", "`vecs[…]`"));
  EXPECT_TRUE(has_only(loaded([](Kernel& k) {
                         MemoryRef ref = component(k, 1);
                         ref.path.push_back({.index = k.u32(0)});
                         return ref;
                       }),
                       "bad-path", "is a vector, whose components have no parts"));
}

TEST(PathTest, ConsecutiveElementsAreOfAnArrayOfScalars) {
  EXPECT_TRUE(is_valid(loaded([](Kernel& k) {
    MemoryRef ref = Kernel::at(k.in, k.gid());
    ref.count = 4;
    return ref;
  })));
  EXPECT_TRUE(has_only(loaded([](Kernel& k) {
                         MemoryRef ref = Kernel::member(k.params, 0);
                         ref.count = 2;
                         return ref;
                       }),
                       "bad-path", "2 components from 0 on are named of `params.n`"));
}

TEST(PathTest, IndicesAreWords) {
  EXPECT_TRUE(has_only(loaded([](Kernel& k) { return Kernel::at(k.in, k.i32(1)); }),
                       "type-mismatch", "the index must be u32, but is i32"));
}

// ------------------------------------------------------------------------------ loads, stores

TEST(AccessTest, LoadsWiden) {
  const auto load = [](ScalarType bound) {
    Program program = loaded([](Kernel& k) {
      const BufferId bytes =
          k.buffer({.name = "bytes", .binding = 9, .layout = k.array(k.scalar(ScalarType::i8), 0)});
      return Kernel::at(bytes, k.gid());
    });
    program.values[0] = bound;
    return program;
  };
  EXPECT_TRUE(is_valid(load(ScalarType::i32)));
  EXPECT_TRUE(has_only(load(ScalarType::u32), "type-mismatch",
                       "value %0 is u32, but what it is bound to is i32"));
}

TEST(AccessTest, StoresTakeOneValueAComponent) {
  const auto store = [](std::uint8_t count, std::vector<float> values) {
    return made([&](Kernel& k) {
      MemoryRef to = vec(k, 0, count);
      k.edit(to.buffer).access = Access::in_out;
      std::vector<ExprId> exprs;
      for (const float v : values)
        exprs.push_back(k.f32(v));
      k.store_all(to, exprs);
    });
  };
  EXPECT_TRUE(is_valid(store(3, {1, 2, 3})));
  EXPECT_TRUE(has_only(store(3, {1, 2}), "bad-operand", "the value stored is missing"));
  EXPECT_TRUE(
      has_only(store(1, {1, 2}), "bad-operand", "a store of 1 component(s) has more values"));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.store(Kernel::at(k.out, k.gid()), k.f32(1)); }),
                       "type-mismatch", "the value stored must be u32, but is f32"));
}

TEST(AccessTest, OnlyWritableMemoryIsWritten) {
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.store(Kernel::at(k.in, k.gid()), k.u32(1)); }),
                       "read-only-memory", "buffer `in` is written, but is read-only"));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.store(Kernel::member(k.params, 0), k.u32(1)); }),
                       "read-only-memory", "buffer `params`"));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         const BufferId table =
                             k.buffer({.name = "table",
                                       .space = Space::constant,
                                       .layout = k.array(k.scalar(ScalarType::u32), 2),
                                       .words = {1, 2}});
                         k.store(Kernel::at(table, k.gid()), k.u32(1));
                       }),
                       "read-only-memory", "buffer `table`"));
}

TEST(AccessTest, EveryWritableMemoryIsWritten) {
  for (const Access access : {Access::in_out, Access::output, Access::scratch})
    EXPECT_TRUE(is_valid(made([&](Kernel& k) {
      k.edit(k.out).access = access;
      k.store(Kernel::at(k.out, k.gid()), k.u32(1));
    }))) << to_string(access);
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    const BufferId mine = k.buffer(
        {.name = "mine", .space = Space::local, .layout = k.array(k.scalar(ScalarType::u32), 2)});
    k.store(Kernel::at(mine, k.gid()), k.u32(1));
    k.store(Kernel::at(k.tile, k.gid()), k.u32(1));
  })));
}

TEST(AccessTest, UniformLoadsReadWorkgroupMemory) {
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.uniform_load(Kernel::at(k.out, k.u32(0))); }),
                       "bad-operand", "buffer `out`, which is storage memory"));
}

// ------------------------------------------------------------------------------------ atomics

BufferId counters(Kernel& k, ScalarType type = ScalarType::u32) {
  return k.buffer(
      {.name = "counters", .space = Space::workgroup, .layout = k.array(k.atomic(type), 4)});
}

TEST(AtomicTest, AtomicsAndPlainAccessesDoNotMix) {
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.load(Kernel::at(counters(k), k.gid())); }),
                       "atomic-access", "an atomic of buffer `counters` is loaded without"));
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.store(Kernel::at(counters(k), k.gid()), k.u32(1)); }),
                       "atomic-access", "an atomic of buffer `counters` is stored to without"));
  EXPECT_TRUE(has_only(
      made([](Kernel& k) { k.atomic(AtomicOp::add, Kernel::at(k.tile, k.gid()), k.u32(1)); }),
      "atomic-access", "acts on buffer `tile`, where no atomic is declared"));
  // Between its barriers nothing else is under way.
  EXPECT_TRUE(is_valid(made([](Kernel& k) { k.uniform_load(Kernel::at(counters(k), k.u32(0))); })));
}

TEST(AtomicTest, TakesWhatEachOperationNeeds) {
  const auto with = [](AtomicOp op, bool value, bool comparand) {
    return made([&](Kernel& k) {
      k.atomic(op, Kernel::at(counters(k), k.gid()), value ? k.u32(1) : kNone<ExprId>,
               comparand ? k.u32(1) : kNone<ExprId>);
    });
  };
  EXPECT_TRUE(is_valid(with(AtomicOp::load, false, false)));
  EXPECT_TRUE(is_valid(with(AtomicOp::max, true, false)));
  EXPECT_TRUE(is_valid(with(AtomicOp::store, true, false)));
  EXPECT_TRUE(is_valid(with(AtomicOp::compare_exchange, true, true)));
  EXPECT_TRUE(
      has_only(with(AtomicOp::load, true, false), "bad-operand", "atomic `load` takes no value"));
  EXPECT_TRUE(has_only(with(AtomicOp::add, false, false), "bad-operand",
                       "the value of atomic `add` is missing"));
  EXPECT_TRUE(
      has_only(with(AtomicOp::add, true, true), "bad-operand", "atomic `add` takes no comparand"));
  EXPECT_TRUE(has_only(with(AtomicOp::compare_exchange, true, false), "bad-operand",
                       "the comparand of atomic `compare_exchange` is missing"));
  EXPECT_TRUE(has_only(
      made([](Kernel& k) { k.atomic(AtomicOp::add, Kernel::at(counters(k), k.gid()), k.i32(1)); }),
      "type-mismatch", "the value of atomic `add` must be u32, but is i32"));
}

TEST(AtomicTest, AtomicsAreWords) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) { counters(k, ScalarType::i32); })));
  EXPECT_TRUE(has_only(made([](Kernel& k) { counters(k, ScalarType::f32); }), "bad-layout",
                       "is an atomic of f32; atomics are u32, i32, u64 or i64"));
}

TEST(AtomicTest, AtomicsLiveInWorkgroupAndWritableStorageMemory) {
  const auto in = [](Space space, Access access) {
    return made([&](Kernel& k) {
      k.buffer({.name = "cells",
                .binding = 9,
                .space = space,
                .access = access,
                .layout = k.array(k.atomic(ScalarType::u32), 4)});
    });
  };
  EXPECT_TRUE(is_valid(in(Space::workgroup, Access::input)));
  EXPECT_TRUE(is_valid(in(Space::storage, Access::scratch)));
  EXPECT_TRUE(has_only(in(Space::storage, Access::input), "atomic-access",
                       "buffer `cells` holds atomics, but is read-only storage memory"));
  EXPECT_TRUE(
      has_only(in(Space::uniform, Access::input), "atomic-access", "read-only uniform memory"));
  EXPECT_TRUE(has_only(in(Space::local, Access::input), "atomic-access", "but is local memory"));
}

}  // namespace
}  // namespace vyre
