#!/usr/bin/env bash
# Installs the packages of cmake/packages.txt that are missing (Debian, Ubuntu); elsewhere names them. Goes on in both cases,
# since they may be there in another form: CMake stops if they are not. Quick when none is missing.
# Usage: install_dependencies.sh GROUP...   (groups are the headings of packages.txt)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# Names of column $1 in the groups of `groups`.
groups=" $* "
names() {
  awk -v column="$1" -v groups="$groups" '
    /^\[/ {on = index(groups, " " substr($1, 2, length($1) - 2) " "); next}
    on && NF && $1 !~ /^#/ && $column != "-" && !seen[$column]++ {print $column}' "$here/packages.txt"
}

# The package manager: its column, how to see whether a package is there, how to install one.
if command -v apt-get >/dev/null; then
  column=1 command="apt-get install"
  is_there() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
elif command -v dnf >/dev/null; then
  column=2 command="dnf install"
  is_there() { rpm -q --whatprovides "$1" >/dev/null 2>&1; }
elif command -v pacman >/dev/null; then
  column=3 command="pacman -S"
  is_there() { pacman -Q "$1" >/dev/null 2>&1; }
elif command -v brew >/dev/null; then
  column=4 command="brew install"
  is_there() { brew list "$1" >/dev/null 2>&1; }
else
  column=0
fi

missing=()
if [ $column -gt 0 ]; then
  while read -r package; do
    command -v "$package" >/dev/null || is_there "$package" || missing+=("$package")
  done < <(names $column)
  [ ${#missing[@]} -gt 0 ] || exit 0
fi

if [ $column -ne 1 ]; then
  {
    if [ $column -gt 0 ]; then
      echo "Packages not found: ${missing[*]}"
      echo "To install them: $command ${missing[*]}"
    else
      echo "No known package manager here, so nothing is installed. Ricochet needs, by the names of"
      echo "  Debian   " $(names 1)
      echo "  Fedora   " $(names 2)
      echo "  Arch     " $(names 3)
      echo "  Homebrew " $(names 4)
    fi
    echo "Going on with what is there."
  } >&2
  for tool in c++ cmake ninja; do
    command -v $tool >/dev/null || { echo "There is no $tool." >&2; exit 1; }
  done
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Missing packages: ${missing[*]}. Install them as root, or install sudo." >&2; exit 1; }
  as_root=(sudo)
fi

# Reports what apt-get is doing, as it says on its status descriptor ("pmstatus:package:percent:what"): one line that
# changes on a terminal, one line per tenth elsewhere.
show() {
  local kind package percent what tenth=-1
  while IFS=: read -r kind package percent what; do
    percent=${percent%%.*}
    case $kind in dlstatus) what="Downloading" ;; pmstatus) ;; *) continue ;; esac
    if [ -t 2 ]; then
      printf '\r\033[K[%3d %%] %.70s' "$percent" "$what" >&2
    elif [ $((percent / 10)) -ne $tenth ]; then
      tenth=$((percent / 10))
      printf '[%3d %%] %s\n' "$percent" "$what" >&2
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The status goes to the pipe, the rest to the log.
install() {
  "${as_root[@]}" apt-get install -y -q --no-install-recommends -o APT::Status-Fd=1 -o Dpkg::Use-Pty=0 "$@" 2>>"$log" |
    tee -a "$log" | show
}
echo "Installing ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq || true
if ! install "${missing[@]}"; then
  # One that cannot be installed (not in this release, in conflict with another) does not hold up the others.
  for package in "${missing[@]}"; do
    : >"$log"
    install "$package" || echo "Could not install $package: $(grep -m1 '^E:' "$log" || tail -n 1 "$log")" >&2
  done
fi
