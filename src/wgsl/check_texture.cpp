// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "wgsl/checker.h"
#include "wgsl/texel_formats.h"

namespace vyre::wgsl {

TypeId Checker::texture_type(const Expr& e, const Predeclare& row) {
  if (row.kind == PredeclareKind::sampled_texture) {
    if (!check_template_count(e, 1, 1)) return kFault;
    const TypeId scalar = template_type(e, 0);
    if (scalar == kFault) return kFault;
    if (scalar == kF32) return types_.texture(0, AccessMode::read);
    if (scalar == kI32) return types_.texture(1, AccessMode::read);
    if (scalar == kU32) return types_.texture(2, AccessMode::read);
    return fail(Code::invalid_type, e.span,
                "a texture is of `f32`, `i32` or `u32`, not " + type_name(scalar));
  }
  if (!check_template_count(e, 2, 2)) return kFault;
  const Expr& format = expr(item(e.list, 0));
  const auto access = access_mode(item(e.list, 1));
  const auto formats = texel_formats().subspan(3);
  const bool is_name = format.kind == ExprKind::identifier && !format.templated &&
                       lookup(format.name.symbol).kind == Target::none;
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const TexelFormat& f) {
    return is_name && f.name == names_.text(format.name.symbol);
  });
  if (found == formats.end())
    return fail(Code::invalid_type, format.span, "expected a format of texels, as `rgba8unorm`");
  if (!access.has_value()) return kFault;
  const bool word = found->channels == 1 && found->packing == Packing::none;
  if (*access == AccessMode::read_write && !word)
    return fail(Code::invalid_type, e.span,
                "only textures of `r32uint`, `r32sint` and `r32float` can be `read_write`");
  return types_.texture(3 + static_cast<std::uint32_t>(found - formats.begin()), *access);
}

/// Two integers that say where.
bool Checker::check_texel_place(ExprId texture, ExprId coordinates, const Builtin& row) {
  const TypeId type = concretize(coordinates);
  if (type == kFault) return false;
  if (type == types_.vector(kI32, 2) || type == types_.vector(kU32, 2)) return true;
  fail(Code::no_overload, expr(coordinates).span,
       "`" + std::string(row.name) + "` of " + type_name(info(texture).type) +
           " takes coordinates of type `vec2<i32>` or `vec2<u32>`, not " + type_name(type));
  return false;
}

TypeId Checker::check_texture(ExprId id, const Builtin& row) {
  const Expr& e = expr(id);
  info(id).touches_memory = true;
  if (function_ == nullptr)
    return fail(Code::not_constant, e.span, "a texture function cannot be called here");
  const TypeId given = e.list.empty() ? kFault : info(item(e.list, 0)).type;
  if (!types_.is(given, TypeKind::texture))
    return no_overload(id, row.name, "its first argument is a texture");
  const Type texture = types_[given];
  const bool sampled = texture.format < 3;
  const TexelFormat& format = texel_formats()[texture.format];
  const TypeId texel = types_.vector(format.scalar, 4);
  const bool loads = row.function == Function::textureLoad;
  const bool stores = row.function == Function::textureStore;
  const bool has_level = row.function == Function::textureDimensions && sampled;
  const std::uint32_t count = stores || (loads && sampled) ? 3 : loads ? 2 : 1;
  if (e.list.count != count && !(has_level && e.list.count == 2))
    return fail(Code::invalid_call, e.span,
                "`" + std::string(row.name) + "` of " + type_name(given) + " takes " +
                    std::to_string(count) + " arguments, not " + std::to_string(e.list.count));
  if (stores ? sampled || texture.access == AccessMode::read
             : loads && texture.access == AccessMode::write)
    return no_overload(id, row.name,
                       std::string("the texture is not ") + (stores ? "written" : "read"));
  if ((loads || stores) && !check_texel_place(item(e.list, 0), item(e.list, 1), row)) return kFault;
  if (stores) return coerce_or_report(item(e.list, 2), texel, "the stored texel") ? kVoid : kFault;
  if (count == 3 || e.list.count == 2) {
    const ExprId level = item(e.list, e.list.count - 1);
    const TypeId type = loads && !sampled ? kU32 : concretize(level);
    if (type == kFault) return kFault;
    if (type != kI32 && type != kU32)
      return no_overload(id, row.name, "the level is an `i32` or `u32`");
  }
  if (loads) return texel;
  return row.function == Function::textureDimensions ? types_.vector(kU32, 2) : kU32;
}

}  // namespace vyre::wgsl
