# For `source`: the interpreters here that can build and install the package.

# One per version from Python 3.11 on, oldest first: those on the path, then those of pyenv.
interpreters() {
  local python version seen=" "
  for python in $(type -ap python3 python3.11 python3.12 python3.13 python3.14) ~/.pyenv/versions/*/bin/python3; do
    version=$("$python" -c "import sys, sysconfig, os, venv, ensurepip
assert sys.version_info >= (3, 11) and os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h'))
print('%d.%02d' % sys.version_info[:2])" 2>/dev/null) || continue
    case $seen in *" $version "*) continue ;; esac
    seen+="$version "
    printf '%s %s\n' "$version" "$python"
  done | sort | cut -d ' ' -f 2
}
