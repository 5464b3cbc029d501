#!/usr/bin/env bash
# Configures a build folder where needed (the first time, and whenever packages have come, gone or changed), then builds with
# progress on standard error: one line that changes on a terminal, a line every 10 s elsewhere.
# Usage: configure_and_build.sh TARGET [PRESET]     (preset `release`, whose folder is build/; others: build-PRESET)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
preset=${2:-release}
build=$root/build
[ "$preset" = release ] || build=$root/build-$preset

# What CMake can find changes with the packages, and with the Python environment that the tests make.
packages=$build/packages_installed.txt
present=$( (dpkg-query -W || rpm -qa || pacman -Q || brew list --versions) 2>/dev/null | sort | cksum || true)
options=()
[ "$preset" != release ] || options=(-DRICOCHET_PYTHON=ON)  # also without Python, so that nothing is compiled twice
if [ "$preset" = release ] && [ -x "$build/venv/bin/python" ]; then
  options+=("-DPython_EXECUTABLE=$build/venv/bin/python")
  present+=" venv"
fi
if [ ! -f "$build/build.ninja" ] || [ "$present" != "$(cat "$packages" 2>/dev/null)" ]; then
  echo "Configuring" >&2
  mkdir -p "$build"
  cmake -S "$root" --preset "$preset" "${options[@]}" >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 1; }
  grep -E "not found \(" "$build/configure.log" >&2 || true
  echo "$present" >"$packages"
fi

# Ninja's "[12/80] Building CXX object ..." becomes "[12/80] Compiling src/scene"; the rest (warnings, errors) passes.
show() {
  local line last=-10 text
  while IFS= read -r line; do
    if [[ $line =~ ^\[[0-9]+/[0-9]+\]\  ]]; then
      case $line in
        *" Building "*)
          text=$(sed -E 's|Building C(XX)? object .*CMakeFiles/[^/]*\.dir/|Compiling |; s|Unity/unity_([a-z]+)_([a-z]+).*|\1/\2|; s|Unity/unity_([a-z]+)_[0-9].*|\1|; s|\.o$||; s|cmake_pch.*|common headers|' <<<"$line") ;;
        *" Linking "*) text=$(sed -E 's|Linking C(XX)? [a-z ]+|Linking |' <<<"$line") ;;
        *) continue ;;
      esac
      if [ -t 2 ]; then
        printf '\r\033[K%.100s' "$text" >&2
      elif ((SECONDS - last >= 10)); then
        last=$SECONDS
        printf '%s\n' "$text" >&2
      fi
    elif [[ $line != "ninja: no work to do." ]]; then
      [ ! -t 2 ] || printf '\r\033[K' >&2
      printf '%s\n' "$line" >&2
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}
cmake --build "$build" --target "$1" 2>&1 | show
