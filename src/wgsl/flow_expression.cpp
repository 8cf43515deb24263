// SPDX-License-Identifier: MIT OR Apache-2.0
#include <tuple>
#include <utility>

#include "wgsl/flow_writer.h"

namespace vyre::wgsl {

/// False where writing would nest too deep for the stack; lowering reports that.
bool FlowWriter::enter() {
  constexpr std::uint32_t kMaxDepth = 1000;
  if (depth_ >= kMaxDepth) return false;
  ++depth_;
  return true;
}

/// The value of an expression; memory that it names is read.
Word FlowWriter::eval(ExprId id) {
  if (id == kNone || faulty(id) || info(id).stage != Stage::runtime || !enter())
    return kUniformWord;
  const Expr& e = expr(id);
  const ExprInfo& of = info(id);
  Word word = kUniformWord;
  if (module_.types.is(of.type, TypeKind::reference)) {
    word = words_.read(place(id));
  } else if (is_pointer(of.type)) {
    word = pointee(id).index;
  } else {
    switch (e.kind) {
      case ExprKind::identifier:
        word = of.kind == Target::parameter     ? fields_[of.target].value
               : of.kind == Target::declaration ? declarations_[of.target].value
                                                : kUniformWord;
        break;
      case ExprKind::call: word = call(id); break;
      case ExprKind::index: word = words_.both(eval(e.left), eval(e.right)); break;
      case ExprKind::member:
        word = of.through_pointer ? words_.read(pointee(e.left)) : eval(e.left);
        break;
      case ExprKind::unary: word = eval(e.left); break;
      case ExprKind::binary: word = binary_chain(id); break;
      case ExprKind::fault:
      case ExprKind::int_literal:
      case ExprKind::float_literal:
      case ExprKind::bool_literal: break;
    }
  }
  leave();
  return word;
}

Word FlowWriter::eval_all(Range list, std::uint32_t first) {
  Word word = kUniformWord;
  for (std::uint32_t i = first; i < list.count; ++i)
    word = words_.both(word, eval(item(list, i)));
  return word;
}

/// Left operands may chain to any length, so they are walked without recursion.
Word FlowWriter::binary_chain(ExprId id) {
  std::vector<ExprId> chain;
  ExprId first = id;
  for (; expr(first).kind == ExprKind::binary && info(first).stage == Stage::runtime;
       first = expr(first).left)
    chain.push_back(first);
  Word word = eval(first);
  for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
    const BinaryOp op = expr(*node).binary;
    word = op == BinaryOp::logical_and || op == BinaryOp::logical_or
               ? logical(*node, word)
               : words_.both(word, eval(expr(*node).right));
  }
  return word;
}

/// The left side decides whether the right one is evaluated.
Word FlowWriter::logical(ExprId id, Word left) {
  const ExprId right = expr(id).right;
  if (left == kUniformWord || !info(right).touches_memory) return words_.both(left, eval(right));
  const FlowPlace result = words_.variable(left);
  const ir::BlockId block = out_.open();
  words_.write(result, words_.both(left, eval(right)));
  out_.close();
  out_.if_(left, block);
  return words_.read(result);
}

/// The memory that a reference names.
FlowPlace FlowWriter::place(ExprId id) {
  const Expr& e = expr(id);
  const ExprInfo& of = info(id);
  if (faulty(id) || !enter()) return {};
  FlowPlace result;
  if (e.kind == ExprKind::identifier && of.kind == Target::declaration) {
    const Bound& bound = declarations_[of.target];
    result = bound.known ? bound.place : global(of.target);
  } else if (e.kind == ExprKind::unary) {
    result = pointee(e.left);
  } else if (e.kind == ExprKind::index || e.kind == ExprKind::member) {
    result = of.through_pointer ? pointee(e.left) : place(e.left);
    result.whole = false;
    if (e.kind == ExprKind::index) result.index = words_.both(result.index, eval(e.right));
  }
  leave();
  return result;
}

/// What a pointer, or a texture, leads to.
FlowPlace FlowWriter::pointee(ExprId id) {
  const Expr& e = expr(id);
  const ExprInfo& of = info(id);
  if (e.kind == ExprKind::unary && e.unary == UnaryOp::address_of) return place(e.left);
  if (e.kind != ExprKind::identifier || faulty(id)) return {};
  if (of.kind == Target::parameter) return fields_[of.target].place;
  return of.kind == Target::declaration ? place(id) : FlowPlace{};
}

// --------------------------------------------------------------------------------------- calls

Word FlowWriter::call(ExprId id) {
  const ExprInfo& of = info(id);
  if (of.kind == Target::function) return user_call(id);
  if (of.kind == Target::builtin) return builtin(id, all_builtins()[of.target]);
  return eval_all(expr(id).list);
}

Word FlowWriter::builtin(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  if (row.how == How::statement) return statement_builtin(e, row);
  if (row.how == How::subgroup) return subgroup(e, row);
  const Word arguments = eval_all(e.list);
  if (row.function != Function::textureLoad || row.how != How::texture) return arguments;
  return words_.both(arguments, words_.read(pointee(item(e.list, 0))));
}

Word FlowWriter::statement_builtin(const Expr& e, const Builtin& row) {
  if (row.function == Function::workgroupBarrier || row.function == Function::storageBarrier ||
      row.function == Function::textureBarrier) {
    out_.barrier(true, false);
    return kUniformWord;
  }
  const FlowPlace target = pointee(item(e.list, 0));
  if (row.function == Function::arrayLength) return target.index;
  if (row.function != Function::workgroupUniformLoad) {
    eval_all(e.list, 1);
    return words_.read(target);
  }
  if (target.kind == FlowPlace::Kind::shared) out_.uniform_load(words_.memory(target));
  return kUniformWord;
}

Word FlowWriter::subgroup(const Expr& e, const Builtin& row) {
  if (e.list.count > 0) eval(item(e.list, 0));
  const bool first = row.function == Function::subgroupBroadcastFirst;
  const Word argument = eval_all(e.list, 1);
  return out_.subgroup(first ? SubgroupOp::broadcast : row.subgroup, ScalarType::u32, kUniformWord,
                       argument, divergent_)[0];
}

/// All arguments are evaluated before the first is bound: they may call the same function.  A
/// pointer to a part of a variable becomes a variable of the call, and the part is written after
/// it.
Word FlowWriter::user_call(ExprId id) {
  const Expr& e = expr(id);
  const std::uint32_t function = info(id).target;
  const Range fields = module_.tree.declarations[function].fields;
  const auto of = module_.functions.find(function);
  if (of == module_.functions.end() || e.list.count != fields.count) return eval_all(e.list);
  std::vector<Bound> arguments(fields.count);
  std::vector<std::pair<FlowPlace, FlowPlace>> parts;
  for (std::uint32_t i = 0; i < fields.count; ++i) {
    const ExprId argument = item(e.list, i);
    if (!is_pointer(module_.fields[fields.first + i])) {
      arguments[i].value = eval(argument);
      continue;
    }
    FlowPlace& place = arguments[i].place = pointee(argument);
    if (place.kind != FlowPlace::Kind::variable || place.whole) continue;
    const FlowPlace part = place;
    place = words_.variable(words_.read(part));
    if (of->second.writes.contains(kParameterRoot | (fields.first + i)))
      parts.emplace_back(part, place);
  }
  for (std::uint32_t i = 0; i < fields.count; ++i)
    fields_[fields.first + i] = arguments[i];
  const Word result = inline_body(function);
  for (const auto& [part, copy] : parts)
    words_.write(part, words_.read(copy));
  set_place(e.span);
  return result;
}

Word FlowWriter::inline_body(std::uint32_t function) {
  const Declaration& d = module_.tree.declarations[function];
  if (d.body == kNone || !enter()) return kUniformWord;
  const FunctionInfo& of = module_.functions.at(function);
  const bool outer = std::exchange(divergent_, filter_.within(d.attributes, filter_.module()));
  const auto jumps = std::pair(std::exchange(loops_, 0), std::exchange(breakables_, 0));
  Frame frame;
  if (of.returns_early) {
    frame.result = words_.variable(kUniformWord);
    frame.scope = out_.open();
  }
  frames_.push_back(frame);
  block(d.body);
  Word result = frames_.back().value;
  frames_.pop_back();
  if (of.returns_early) {
    out_.close();
    out_.scope(frame.scope);
    result = words_.read(frame.result);
  }
  std::tie(loops_, breakables_) = jumps;
  divergent_ = outer;
  leave();
  return result;
}

}  // namespace vyre::wgsl
