#!/bin/sh
# make test and make demo as on a machine that has never seen this project: a clone of what is committed, an empty home,
# no fonts but matplotlib's own, no caches, another language and time zone. How pip reaches its index is all that stays.
set -eu
python=$("${PYTHON:-python3}" -c 'import os, sys; print(os.path.realpath(sys.executable))')
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
git clone --quiet "$(git rev-parse --show-toplevel)" "$place/clone"
mkdir "$place/home"

set -- HOME="$place/home" PATH="$(dirname "$python"):/usr/local/bin:/usr/bin:/bin" \
    LANG=C TZ=Asia/Kathmandu MPL_IGNORE_SYSTEM_FONTS=1
for settings in "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "$HOME/.pip/pip.conf"; do
    if [ -f "$settings" ] && [ -z "${PIP_CONFIG_FILE:-}" ]; then set -- "$@" PIP_CONFIG_FILE="$settings"; break; fi
done
for name in $(env | sed -nE 's/^(PIP_[A-Z_]+|SSL_CERT_FILE|REQUESTS_CA_BUNDLE|[A-Za-z]+_(PROXY|proxy))=.*/\1/p'); do
    set -- "$@" "$name=$(printenv "$name")"
done

for target in test demo; do
    env -i "$@" make -C "$place/clone" PYTHON="$python" "$target"
done
