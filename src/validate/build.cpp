// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/builder.h"
#include "vyre/validate.h"

#include "base/guarded.h"

namespace vyre {

Result<ValidProgram> Builder::build() {
  return guarded([&] { return validate(take()); });
}

}  // namespace vyre
