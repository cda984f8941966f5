#!/bin/sh
# Sees to it that the Debian packages of the build, and those named as arguments, are installed: installs them when it
# may, else names what is missing and how to install it.
set -eu
set -- g++ make cmake libdnnl-dev libcli11-dev libicu-dev libsimdjson-dev "$@"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "No Debian packages here; going on with what is installed."
  exit 0
fi
missing=
for package; do
  case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) in
  installed) ;;
  *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  root='sudo -n'
else
  echo "Missing packages:$missing" >&2
  echo "Install them as root:  apt-get install$missing" >&2
  exit 1
fi
echo "Installing packages:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# root and missing are lists of words.
# shellcheck disable=SC2086
{
  $root apt-get update && $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
} >"$log" 2>&1 </dev/null || { cat "$log" >&2; exit 1; }
