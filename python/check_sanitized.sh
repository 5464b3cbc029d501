#!/usr/bin/env bash
# Runs the tests of the Python package on a module that is built with address and undefined-behavior sanitizers.
# Usage: python/check_sanitized.sh [pytest arguments]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-python-sanitized
"$root/cmake/python_environment.sh"
python=$root/build/venv/bin/python
[ -x "$python" ] || exit 0
mkdir -p "$build"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DRICOCHET_SANITIZE=address \
  -DRICOCHET_PYTHON=ON -DRICOCHET_BUILD_TESTS=OFF -DRICOCHET_MPI=OFF "-DPython_EXECUTABLE=$python" >"$build/configure.log"
cmake --build "$build" --target ricochet_python ricochet_app
# The interpreter is not instrumented: the runtime comes first, and what Python itself keeps until its end is no leak.
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export PYTHONPATH=$build/python PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 RICOCHET_PROGRAM=$build/ricochet
# The sanitizer ends the process where `new` would throw, so the one call that runs out of memory is left out.
exec "$python" -X faulthandler -m pytest -q -p no:cacheprovider -k "not (batch and large)" "${@:-$root/python/tests}"
