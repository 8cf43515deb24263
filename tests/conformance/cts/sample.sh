#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# A sample of the WebGPU conformance suite: sample.sh CTS_CHECKOUT [SEED [DEVICE]]
set -euo pipefail
[[ $# -ge 1 ]] || { echo "usage: $0 CTS_CHECKOUT [SEED [DEVICE]]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cts=$1 seed=${2:-1} device=${3:-cpu}
executor=${VYRE_CTS_EXECUTOR:-$root/build/release/vyre-executor $device}
subcases=${VYRE_CTS_SUBCASES:-40} values=${VYRE_CTS_VALUES:-200}
out=${VYRE_CTS_OUT:-$root/build/cts}
mkdir -p "$out"

run() {  # NAME OPTIONS… QUERIES…
  local name=$1
  shift
  echo "== $name"
  node "$here/run-cts.mjs" --cts "$cts" --exec "$executor" \
    --seed "$seed" --max-subcases "$subcases" --expectations "$here/known.mjs" --out "$out/$name" "$@" || failed=1
}

failed=0
e='webgpu:shader,execution'
run operators --max-values "$values" --total-seconds 900 \
  "$e,expression,binary,*" "$e,expression,unary,*" "$e,expression,precedence,*" \
  "$e,expression,access,*" "$e,expression,constructor,*" "$e,expression,call,user,*"
mapfile -t builtins < <(cd "$cts/out-node/webgpu/shader/execution/expression/call/builtin" &&
  find . -maxdepth 1 -name '*.spec.js' | sed 's|^./||; s|\.spec\.js$||' |
  grep -Ev '^(texture|dpd|fwidth)' | sort | sed "s|^|$e,expression,call,builtin,|; s|$|:*|")
run builtins --max-values "$values" --total-seconds 1800 \
  "${builtins[@]}" "$e,expression,call,builtin,atomics,*"
run programs --total-seconds 200 \
  "$e,flow_control,*" "$e,statement,*" "$e,memory_layout:*" "$e,zero_init:*" "$e,value_init:*" \
  "$e,padding:*" "$e,shadow:*" "$e,override:*" "$e,float_parse:*" \
  "$e,robust_access:*" "$e,shader_io,compute_builtins:*" "$e,shader_io,workgroup_size:*"
# Last of all that run: a driver may still be busy with one of these long after.
run limits --total-seconds 200 "$e,limits:*"
# Of these every module that differs from a compute shader is made one.
run uniformity --total-seconds 300 --max-subcases $((subcases * 50)) --compute-only \
  'webgpu:shader,validation,uniformity,*'
run validation --total-seconds 200 --skip-wgsl 'texture_|sampler|@fragment|@vertex' \
  'webgpu:shader,validation,*'
exit $failed
