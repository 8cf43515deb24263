// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

/// Everything public.  Each header below can be included alone.
#include "vyre/buffer.h"
#include "vyre/builder.h"
#include "vyre/device.h"
#include "vyre/diagnostic.h"
#include "vyre/dispatch.h"
#include "vyre/element.h"
#include "vyre/emit.h"
#include "vyre/op.h"
#include "vyre/program.h"
#include "vyre/result.h"
#include "vyre/sequence.h"
#include "vyre/type.h"
#include "vyre/validate.h"
#include "vyre/wgsl.h"
