#!/usr/bin/env bash
# Installs wheels into fresh environments of every interpreter that is here, and checks what a user would notice: size,
# libraries that they need, time of import, the README's example, and the program.
# Usage: python/check_wheel.sh [DIR]    DIR: has the wheels (python/build_wheels.sh), build/wheels if it is not given
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
wheels=$(cd "${1:-$root/build/wheels}" && pwd)
. "$root/python/interpreters.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
sed -n '/^```python$/,/^```$/p' "$root/README.md" | sed '1d;/^```$/,$d' >"$work/example.py"
[ -s "$work/example.py" ] || fail "the README has no example in Python"

for wheel in "$wheels"/ricochet-*.whl; do
  size=$(stat -c %s "$wheel")
  [ "$size" -lt 15000000 ] || fail "$wheel has $size bytes; at most 15 MB are allowed"
  case $wheel in *manylinux*) ;; *) fail "$wheel is not a manylinux wheel" ;; esac
done

found=0
while read -r python; do
  environment=$work/$found
  "$python" -m venv "$environment"
  if ! "$environment/bin/pip" install -q numpy >"$work/pip.log" 2>&1; then
    echo "PyPI cannot be reached: the wheels are not checked"
    exit 0
  fi
  "$environment/bin/pip" install -q --no-index --find-links "$wheels" ricochet || fail "no wheel fits $("$python" --version)"
  found=$((found + 1))
  # Median of five, after NumPy, which loads no matter what.
  seconds=$(for _ in 1 2 3 4 5; do
    "$environment/bin/python" -c "import time, numpy; a = time.perf_counter(); import ricochet; print(f'{time.perf_counter() - a:.3f}')"
  done | sort | sed -n 3p)
  "$environment/bin/python" -c "import sys; sys.exit(float('$seconds') > 0.15)" || fail "import takes $seconds s"
  cp -r "$root/examples" "$work/run$found"  # the example names files below examples/
  mkdir "$work/at$found" && mv "$work/run$found" "$work/at$found/examples"
  answer=$(cd "$work/at$found" && "$environment/bin/python" "$work/example.py") || fail "the README's example"
  case $answer in good*contact.friction*) ;; *) fail "the README's example printed: $answer" ;; esac
  [ -s "$work/at$found/calibrated.yaml" ] || fail "the README's example wrote no scene"
  version=$("$environment/bin/ricochet" --version) || fail "the program does not start"
  "$environment/bin/python" - <<'PYTHON' || fail "archives that need HDF5 are not refused with a remedy"
import ricochet
try:
    ricochet.read_iam("archive.h5")
except ricochet.InputError as error:
    assert error.remedy
PYTHON
  echo "$("$python" --version): import $seconds s; $version; $answer"
done < <(interpreters)
[ "$found" -gt 0 ] || fail "no Python from 3.11 on was found"
