#!/bin/sh
# Installs the Debian packages that the build needs, and those given as arguments, if any are missing: as root or
# through sudo. If neither is possible, prints the command to run as root and fails.
set -eu
# Debian's dnnl-config.cmake needs ocl-icd-opencl-dev, which libdnnl-dev only recommends.
set -- g++ make cmake libdnnl-dev ocl-icd-opencl-dev libcli11-dev libicu-dev libsimdjson-dev "$@"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "dpkg-query or apt-get not found; continuing with the packages that are installed."
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

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
  root=
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
  root=sudo
else
  echo "Packages are missing. To install them, run this as root:" >&2
  echo "apt-get update && $install" >&2
  exit 1
fi
echo "Installing packages:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# $root and $install must be split into words.
# shellcheck disable=SC2086
{
  $root apt-get update && $root env DEBIAN_FRONTEND=noninteractive $install
} >"$log" 2>&1 </dev/null || { cat "$log" >&2; exit 1; }
