#!/bin/sh
# The Debian package needs no Open MPI, which only the plug-in uses, and has no maintainer scripts. The README has the
# name of the bundle.
# Usage: package.sh BUILD_DIRECTORY
set -eu
for program in dpkg-shlibdeps dpkg-deb; do
  command -v $program >/dev/null || { echo "skipped: $program is absent"; exit 77; }
done
readme=$(cd "$(dirname "$0")/../.." && pwd)/README.md
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$1"
version=$(cmd/bert-vocab -V | sed -n '1s/.* //p')
grep -qF "bert-$version-x86_64.tar.gz" "$readme" || { echo "README.md does not name bert-$version-x86_64.tar.gz"; exit 1; }
cpack -G DEB -B "$directory" >"$directory/log" 2>&1 || { cat "$directory/log"; exit 1; }
set -- "$directory"/bert_*.deb
field() { dpkg-deb -f "$1" "$2"; }
fail() { dpkg-deb -I "$package"; echo "FAILED: $1"; exit 1; }
package=$1
case $(field "$package" Depends) in
*mpi*) fail 'it depends on Open MPI' ;;
*libc6*libdnnl*) ;;
*) fail 'it does not depend on its libraries' ;;
esac
if [ "$(dpkg-deb -c "$package" | grep -c bert-mpi.so)" = 1 ]; then
  case $(field "$package" Suggests) in *libopenmpi*) ;; *) fail 'it does not suggest Open MPI' ;; esac
fi
[ "$(dpkg-deb --ctrl-tarfile "$package" | tar -t | grep -cE 'post|pre|triggers')" = 0 ] || fail 'it has maintainer scripts'
