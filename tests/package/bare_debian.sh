#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs the commands of README.md, all but `./dev test`, as written in a bare Debian 12 root.
#
#   bare_debian.sh SOURCE FOLDER     FOLDER is made anew, gets the root, and is removed when all is well
#
# It needs root, mmdebstrap (`./dev test long` installs it) and the registries of Debian and of
# Python, which it reaches as this machine does.
set -euo pipefail
source_folder=$1 root=$2/root

fail() { printf 'bare_debian: %s\n' "$*" >&2; exit 1; }
[[ $(id -u) == 0 ]] || fail "making a root needs root"
command -v mmdebstrap > /dev/null || fail "mmdebstrap is missing"

# What is mounted here is seen here alone, and goes with this process.
if [[ -z ${BARE_DEBIAN_INSIDE:-} ]] && unshare -m true 2> /dev/null; then
  BARE_DEBIAN_INSIDE=1 exec unshare -m "$0" "$@"
fi

sources=/etc/apt/sources.list
[[ ! -e /etc/apt/sources.list.d/debian.sources ]] || sources=/etc/apt/sources.list.d/debian.sources
rm -rf "$2"
mkdir -p "$2"
mmdebstrap --quiet --variant=minbase bookworm "$root" "$sources"

# The files of the repository, committed or not, and nothing that was built.
mkdir "$root/vyre"
(cd "$source_folder" && tar -c --exclude=./build --exclude=./.git .) | tar -x -C "$root/vyre"

# How this machine reaches the registries.
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
  [[ ! -e $file ]] || cp -L "$file" "$root$file"
done
# The authorities that it trusts, which may be more than Debian's.
trusted=/etc/ssl/certs/ca-certificates.crt
[[ ! -e $trusted ]] || cp -L "$trusted" "$root/root/authorities.crt"
mkdir -p "$root/proc"
mount -t proc proc "$root/proc" 2> /dev/null || true
mapfile -t kept < <(env | grep -E '^(PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|[a-zA-Z]+_proxy|[A-Z]+_PROXY)=' || true)
[[ ! -e $trusted ]] || kept+=(PIP_CERT=/root/authorities.crt)

python3 "$source_folder/tools/check_readme.py" --commands > "$root/vyre/commands.sh"
chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  "${kept[@]}" /bin/sh -c 'cd /vyre && sh commands.sh'
umount "$root/proc" 2> /dev/null || true
rm -rf "$2"
