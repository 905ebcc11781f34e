#!/bin/sh
# Every test with each of these Pythons that is on this machine: on the path, or among those of pyenv.
set -eu
mkdir -p build
for version in "$@"; do
    found=
    for python in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python; do
        if "$python" -c "" 2> /dev/null; then found=$python; break; fi
    done
    if [ -z "$found" ]; then echo "Python $version: not found on this machine, so not tested"; continue; fi
    echo "Python $version: $found"
    "$found" -m venv "build/python$version"
    "build/python$version/bin/python" -m pip install --quiet --disable-pip-version-check -e ".[test]"
    "build/python$version/bin/python" -m pytest -n auto
done
