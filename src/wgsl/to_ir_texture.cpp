// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/check.h"
#include "wgsl/expand.h"
#include "wgsl/ir_emitter.h"
#include "wgsl/lowering.h"

// A texture is a buffer that holds its size and its texels; `texel_formats.h` says how.
namespace vyre::wgsl {
namespace {

using Scalars = std::vector<ir::ExprId>;

/// The built-in function that takes a word of four channels apart, and the one that makes it.
struct WordFunctions {
  Function unpack;
  Function pack;
};

WordFunctions word_functions(Packing packing) {
  switch (packing) {
    case Packing::unorm8:
    case Packing::bgra8: return {Function::unpack4x8unorm, Function::pack4x8unorm};
    case Packing::snorm8: return {Function::unpack4x8snorm, Function::pack4x8snorm};
    case Packing::uint8: return {Function::unpack4xU8, Function::pack4xU8Clamp};
    case Packing::sint8: return {Function::unpack4xI8, Function::pack4xI8Clamp};
    case Packing::none:
    case Packing::uint16:
    case Packing::sint16:
    case Packing::float16: break;
  }
  return {Function::unpack2x16float, Function::pack2x16float};
}

/// Where the width and the height lie.
ir::MemoryRef size_of(const View& texture) {
  ir::MemoryRef size = texture.memory;
  size.path.push_back({.kind = Step::Kind::member, .member = 0});
  size.count = 2;
  return size;
}

}  // namespace

void Lowering::declare_texture(std::uint32_t declaration) {
  const Declaration& d = module_.tree.declarations[declaration];
  const DeclarationInfo& of = module_.declarations[declaration];
  const Type texture = types_[of.type];
  const TexelFormat& format = texel_formats()[texture.format];
  const std::uint32_t words = texel_words(format);
  const ScalarType scalar =
      format.packing == Packing::none ? ir_scalar(format.scalar) : ScalarType::u32;
  const ir::LayoutId texel =
      words == 1 ? out_.scalar(scalar) : out_.vector(scalar, static_cast<std::uint8_t>(words));
  const Assembler::MemberDecl members[] = {{"size", out_.vector(ScalarType::u32, 2)},
                                           {"texels", out_.array(texel, 0)}};
  BufferDecl buffer;
  buffer.name = unique_name(std::string(names_.text(d.name.symbol)));
  buffer.group = of.group;
  buffer.binding = of.binding;
  buffer.access = texture.access == AccessMode::read ? Access::input : Access::in_out;
  buffer.layout = out_.structure("texture_" + std::string(format.name), members);
  View view{.type = of.type, .in_memory = true};
  view.memory.buffer = out_.buffer(std::move(buffer));
  declarations_[declaration] = {Bound::Kind::view, {}, view};
}

/// Row by row; an index that no buffer has where the coordinates or the level are outside.
ir::ExprId Lowering::texel_index(const View& texture, ExprId coordinates, ExprId level) {
  const Value at = lower(coordinates);
  const ir::ExprId x = out_.bitcast(ScalarType::u32, at.scalars[0]);
  const ir::ExprId y = out_.bitcast(ScalarType::u32, at.scalars[1]);
  const Scalars extent = out_.load_all(size_of(texture));
  ir::ExprId inside =
      out_.op(Op::logical_and, {out_.op(Op::lt, {x, extent[0]}), out_.op(Op::lt, {y, extent[1]})});
  if (level != kNone)
    inside = out_.op(Op::logical_and, {inside, out_.op(Op::eq, {to_index(level), out_.u32(0)})});
  const ir::ExprId index = out_.op(Op::add, {out_.op(Op::mul, {y, extent[0]}), x});
  return out_.op(Op::select, {inside, index, out_.u32(~std::uint32_t{0})});
}

Scalars Lowering::unpacked(const TexelFormat& format, Scalars words) {
  IrEmitter emitter(out_);
  Expansion<IrEmitter> expand(emitter);
  const auto half_words = [&](auto&& part) {
    Scalars result;
    for (const ir::ExprId word : words)
      for (const std::uint32_t offset : {0U, 16U})
        result.push_back(part(word, offset));
    return result;
  };
  switch (format.packing) {
    case Packing::none: {
      const ir::ExprId one = format.scalar == kF32 ? out_.f32(1) : cell(format.scalar, 1);
      while (words.size() < 3)
        words.push_back(cell(format.scalar, 0));
      if (words.size() < 4) words.push_back(one);
      return words;
    }
    case Packing::unorm8:
    case Packing::snorm8:
    case Packing::uint8:
    case Packing::sint8:
    case Packing::bgra8: {
      Scalars texel = expand(word_functions(format.packing).unpack, std::vector<Scalars>{words});
      if (format.packing == Packing::bgra8) std::swap(texel[0], texel[2]);
      return texel;
    }
    case Packing::uint16:
      return half_words([&](ir::ExprId word, std::uint32_t offset) {
        return out_.op(Op::extract_bits, {word, out_.u32(offset), out_.u32(16)});
      });
    case Packing::sint16:
      return half_words([&](ir::ExprId word, std::uint32_t offset) {
        const ir::ExprId number = out_.bitcast(ScalarType::i32, word);
        return out_.op(Op::extract_bits, {number, out_.u32(offset), out_.u32(16)});
      });
    case Packing::float16:
      return half_words([&](ir::ExprId word, std::uint32_t offset) {
        return out_.op(
            Op::half_to_float,
            {out_.op(Op::bit_and, {out_.op(Op::shr, {word, out_.u32(offset)}), out_.u32(0xffff)})});
      });
  }
  VYRE_UNREACHABLE();
}

Scalars Lowering::packed(const TexelFormat& format, Scalars texel) {
  IrEmitter emitter(out_);
  Expansion<IrEmitter> expand(emitter);
  const auto in_pairs = [&](auto&& bits) {
    Scalars words;
    for (std::size_t i = 0; i < 4; i += 2) {
      const ir::ExprId high = out_.op(Op::shl, {bits(texel[i + 1]), out_.u32(16)});
      words.push_back(out_.op(Op::bit_or, {bits(texel[i]), high}));
    }
    return words;
  };
  switch (format.packing) {
    case Packing::none: texel.resize(format.channels); return texel;
    case Packing::bgra8: std::swap(texel[0], texel[2]); [[fallthrough]];
    case Packing::unorm8:
    case Packing::snorm8:
    case Packing::uint8:
    case Packing::sint8:
      return expand(word_functions(format.packing).pack, std::vector<Scalars>{texel});
    case Packing::uint16:
      return in_pairs([&](ir::ExprId number) {
        return out_.op(Op::min, {number, out_.u32(0xffff)});
      });
    case Packing::sint16:
      return in_pairs([&](ir::ExprId number) {
        const ir::ExprId clamped = out_.op(Op::clamp, {number, out_.i32(-32768), out_.i32(32767)});
        return out_.op(Op::bit_and, {out_.bitcast(ScalarType::u32, clamped), out_.u32(0xffff)});
      });
    case Packing::float16:
      return in_pairs([&](ir::ExprId number) { return out_.op(Op::float_to_half, {number}); });
  }
  VYRE_UNREACHABLE();
}

Value Lowering::lower_texture(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  const TypeId type = info(id).type;
  if (row.function == Function::textureNumLevels) return {kU32, {out_.u32(1)}};
  const View texture = pointee(item(e.list, 0));
  const TexelFormat& format = texel_formats()[types_[texture.type].format];
  const std::uint32_t words = texel_words(format);
  if (row.function == Function::textureDimensions) {
    if (e.list.count == 2) lower(item(e.list, 1));
    return {type, out_.load_all(size_of(texture))};
  }
  const bool stores = row.function == Function::textureStore;
  const bool has_level = !stores && e.list.count == 3;
  const ir::ExprId index =
      texel_index(texture, item(e.list, 1), has_level ? item(e.list, 2) : kNone);
  ir::MemoryRef place = texture.memory;
  place.path.push_back({.kind = Step::Kind::member, .member = 1});
  place.path.push_back({.kind = Step::Kind::index, .index = index});
  place.count = static_cast<std::uint8_t>(words);
  if (!stores) return {type, unpacked(format, out_.load_all(std::move(place)))};
  out_.store_all(std::move(place), packed(format, lower(item(e.list, 2)).scalars));
  return {.type = kVoid};
}

}  // namespace vyre::wgsl
