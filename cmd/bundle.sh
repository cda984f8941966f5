#!/bin/sh
# Makes BUILD_DIRECTORY/NAME.tar.gz, which runs where it is unpacked, on any Linux whose glibc is at least as new as
# that of this machine: sh cmd/bundle.sh BUILD_DIRECTORY NAME LIBRARIES
# The archive holds what cmake --install installs, all libraries except glibc's, and the licences of their Debian
# packages. LIBRARIES is the folder in which the tools look for libraries, relative to their own. The MPI plug-in is left
# out: it would need the machine's Open MPI, which needs other libraries of the machine.
set -eu
sources=$(cd "$(dirname "$0")/.." && pwd)
cd "$1"
name=$2 libraries=$3
tree=bundle/$name
rm -rf bundle
DESTDIR=$PWD/bundle/installed cmake --install . --prefix "/$name" --strip >bundle.log
mv "bundle/installed/$name" bundle
licences=$tree/share/doc/bert/licences
rm -rf "${tree:?}/lib"
mkdir -p "$tree/bin/$libraries" "$licences"

# package_of FILE: its Debian package. dpkg may know the file below /lib instead of /usr/lib.
package_of() { dpkg-query -S "*${1#/usr}" | sed 's/[,:].*//; q'; }

licence_of() { cp -L "/usr/share/doc/$1/copyright" "$licences/$1"; }

ldd "$tree"/bin/* | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | sort -u | while read -r library path; do
  package=$(package_of "$(readlink -f "$path")")
  case $package in
  libc6) continue ;;
  '') echo "$path is of no Debian package, so that its licence is unknown" >&2; exit 1 ;;
  esac
  cp -L "$path" "$tree/bin/$libraries/$library"
  licence_of "$package"
done
# It consists of headers, which are compiled in.
[ ! -e /usr/share/doc/libcli11-dev ] || licence_of libcli11-dev
# Texts that these files refer to.
cat "$licences"/* | grep -o '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' | sort -u | while read -r text; do
  [ ! -e "$text" ] || cp -L "$text" "$licences"
done
cp "$sources/LICENSE" "$tree/share/doc/bert"

tar --sort=name --owner=0 --group=0 --numeric-owner -C bundle -czf "$name.tar.gz.new" "$name"
mv "$name.tar.gz.new" "$name.tar.gz"
rm -rf bundle bundle.log
echo "$PWD/$name.tar.gz"
