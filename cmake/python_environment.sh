#!/usr/bin/env bash
# Makes build/venv, the Python environment of the tests: the first interpreter here that can make one and has its headers,
# with NumPy, pytest and nanobind. Where that cannot be done, says why in one line and goes on. Quick when it is there.
set -uo pipefail
build=$(cd "$(dirname "$0")/.." && pwd)/build
venv=$build/venv
needed=(numpy pytest nanobind)
check="import numpy, pytest, nanobind"
if "$venv/bin/python" -c "$check" 2>/dev/null; then exit 0; fi

usable="import sys, sysconfig, os, venv, ensurepip
assert sys.version_info >= (3, 11) and os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h'))"
found=
for python in $(type -ap python3 python3.13 python3.12 python3.11 | awk '!seen[$0]++'); do
  if "$python" -c "$usable" 2>/dev/null; then
    found=$python
    break
  fi
done
if [ -z "$found" ]; then
  echo "Python: no interpreter from 3.11 on with venv and headers (python3-venv, python3-dev); its tests are left out" >&2
  exit 0
fi
mkdir -p "$build"
echo "Python: installing ${needed[*]}" >&2
if ! { "$found" -m venv --clear "$venv" && "$venv/bin/python" -m pip install -q "${needed[@]}"; } >"$build/venv.log" 2>&1; then
  rm -rf "$venv"
  echo "Python: ${needed[*]} cannot be installed (build/venv.log); its tests are left out" >&2
fi
