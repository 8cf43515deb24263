// SPDX-License-Identifier: MIT OR Apache-2.0
#include "bench/spirv.h"

#include <initializer_list>
#include <utility>

namespace vyre::bench {
namespace {

// Numbers of the SPIR-V specification, version 1.3.
enum Opcode : std::uint32_t {
  op_memory_model = 14,
  op_entry_point = 15,
  op_execution_mode = 16,
  op_capability = 17,
  op_type_void = 19,
  op_type_int = 21,
  op_type_float = 22,
  op_type_vector = 23,
  op_type_runtime_array = 29,
  op_type_struct = 30,
  op_type_pointer = 32,
  op_type_function = 33,
  op_constant = 43,
  op_function = 54,
  op_function_end = 56,
  op_variable = 59,
  op_load = 61,
  op_store = 62,
  op_access_chain = 65,
  op_decorate = 71,
  op_member_decorate = 72,
  op_i_add = 128,
  op_f_add = 129,
  op_label = 248,
  op_return = 253,
};
enum Decoration : std::uint32_t {
  decoration_block = 2,
  decoration_array_stride = 6,
  decoration_builtin = 11,
  decoration_binding = 33,
  decoration_descriptor_set = 34,
  decoration_offset = 35,
};
constexpr std::uint32_t kInput = 1;  // storage classes
constexpr std::uint32_t kStorageBuffer = 12;
constexpr std::uint32_t kGlobalInvocationId = 28;

// Every id of the modules, so that each is named once.
enum Id : std::uint32_t {
  id_main = 1,
  id_gid,
  id_void,
  id_function,
  id_u32,
  id_element,  ///< of the buffers, if it is no u32
  id_vec3,
  id_ptr_vec3,
  id_ptr_index,
  id_array,
  id_block,
  id_ptr_block,
  id_ptr_element,
  id_zero,
  id_one,
  id_label,
  id_index_ptr,
  id_index,
  id_sum,
  id_first_buffer,  ///< three of them
  id_first_place = id_first_buffer + 3,
  id_first_value = id_first_place + 3,
  id_bound = id_first_value + 3,
};

class Module {
 public:
  Module() { words_ = {0x07230203, 0x00010300, 0, id_bound, 0}; }
  void add(Opcode code, std::initializer_list<std::uint32_t> operands) {
    words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | code);
    words_.insert(words_.end(), operands);
  }
  [[nodiscard]] std::vector<std::uint32_t> take() { return std::move(words_); }

 private:
  std::vector<std::uint32_t> words_;
};

constexpr std::uint32_t kMainText = 0x6e69616d;  // "main", and a word of zeros to end it

void add_head(Module& module, std::uint32_t workgroup, std::uint32_t buffers) {
  module.add(op_capability, {1});       // Shader
  module.add(op_memory_model, {0, 1});  // Logical, GLSL450
  module.add(op_entry_point, {5, id_main, kMainText, 0, id_gid});
  module.add(op_execution_mode, {id_main, 17, workgroup, 1, 1});
  module.add(op_decorate, {id_gid, decoration_builtin, kGlobalInvocationId});
  module.add(op_decorate, {id_array, decoration_array_stride, 4});
  module.add(op_decorate, {id_block, decoration_block});
  module.add(op_member_decorate, {id_block, 0, decoration_offset, 0});
  for (std::uint32_t i = 0; i < buffers; ++i) {
    module.add(op_decorate, {id_first_buffer + i, decoration_descriptor_set, 0});
    module.add(op_decorate, {id_first_buffer + i, decoration_binding, i});
  }
}

void add_types(Module& module, std::uint32_t element, std::uint32_t buffers) {
  module.add(op_type_void, {id_void});
  module.add(op_type_function, {id_function, id_void});
  module.add(op_type_int, {id_u32, 32, 0});
  if (element != id_u32) module.add(op_type_float, {element, 32});
  module.add(op_type_vector, {id_vec3, id_u32, 3});
  module.add(op_type_pointer, {id_ptr_vec3, kInput, id_vec3});
  module.add(op_type_pointer, {id_ptr_index, kInput, id_u32});
  module.add(op_type_runtime_array, {id_array, element});
  module.add(op_type_struct, {id_block, id_array});
  module.add(op_type_pointer, {id_ptr_block, kStorageBuffer, id_block});
  module.add(op_type_pointer, {id_ptr_element, kStorageBuffer, element});
  module.add(op_constant, {id_u32, id_zero, 0});
  module.add(op_constant, {id_u32, id_one, 1});
  module.add(op_variable, {id_ptr_vec3, id_gid, kInput});
  for (std::uint32_t i = 0; i < buffers; ++i)
    module.add(op_variable, {id_ptr_block, id_first_buffer + i, kStorageBuffer});
}

/// Up to the places of this invocation's elements.
void begin_main(Module& module, std::uint32_t buffers) {
  module.add(op_function, {id_void, id_main, 0, id_function});
  module.add(op_label, {id_label});
  module.add(op_access_chain, {id_ptr_index, id_index_ptr, id_gid, id_zero});
  module.add(op_load, {id_u32, id_index, id_index_ptr});
  for (std::uint32_t i = 0; i < buffers; ++i)
    module.add(op_access_chain,
               {id_ptr_element, id_first_place + i, id_first_buffer + i, id_zero, id_index});
}

void end_main(Module& module, std::uint32_t place) {
  module.add(op_store, {place, id_sum});
  module.add(op_return, {});
  module.add(op_function_end, {});
}

}  // namespace

std::vector<std::uint32_t> spirv_add(std::uint32_t workgroup) {
  Module module;
  add_head(module, workgroup, 3);
  add_types(module, id_element, 3);
  begin_main(module, 3);
  for (std::uint32_t i = 0; i < 2; ++i)
    module.add(op_load, {id_element, id_first_value + i, id_first_place + i});
  module.add(op_f_add, {id_element, id_sum, id_first_value, id_first_value + 1});
  end_main(module, id_first_place + 2);
  return module.take();
}

std::vector<std::uint32_t> spirv_increment(std::uint32_t workgroup) {
  Module module;
  add_head(module, workgroup, 1);
  add_types(module, id_u32, 1);
  begin_main(module, 1);
  module.add(op_load, {id_u32, id_first_value, id_first_place});
  module.add(op_i_add, {id_u32, id_sum, id_first_value, id_one});
  end_main(module, id_first_place);
  return module.take();
}

}  // namespace vyre::bench
