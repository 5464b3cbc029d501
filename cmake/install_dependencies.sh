#!/usr/bin/env bash
# Installs the Debian packages named in cmake/packages.txt that are missing. Quick when none is.
# Usage: install_dependencies.sh GROUP...   (groups are the headings of packages.txt)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

wanted=()
for group in "$@"; do
  mapfile -t -O "${#wanted[@]}" wanted < <(awk -v g="[$group]" '$0 == g {on = 1; next} /^\[/ {on = 0} on && NF && $1 !~ /^#/ {print $1}' "$here/packages.txt")
done
missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Missing packages: ${missing[*]}. Install them as root, or install sudo." >&2; exit 1; }
  as_root=(sudo)
fi
echo "Installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
