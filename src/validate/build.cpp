// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vyre/builder.h"
#include "vyre/validate.h"

namespace vyre {

Result<ValidProgram> Builder::build() {
  return validate(finish());
}

}  // namespace vyre
