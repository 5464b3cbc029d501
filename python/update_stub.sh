#!/usr/bin/env bash
# Writes the type stub of the module that is built. Usage: python/update_stub.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
PYTHONPATH=$root/build/python "$root/build/venv/bin/python" -m nanobind.stubgen -m ricochet._core -o "$root/python/ricochet/_core.pyi"
