#!/bin/sh
# Tries the project in bare Debian trees as a new user does:
#   sh tests/bare.sh [--all] [RELEASE...]        RELEASE: bookworm, trixie (default: both)
# In trees made by debootstrap it installs the packages as root, through sudo, and with the command shown to a
# user without either; runs cmd/try.sh, the command-line cases and the README's examples; builds,
# installs, uses and removes the Debian package; and runs the bundle. With --all it also runs tests/run.sh, the
# second command of the README. Needs root, debootstrap, git, a Debian mirror (as set up for this machine's apt)
# and 4 GB in $TMPDIR or /var/tmp.
# shellcheck disable=SC2154  # of bare_tree.sh
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
. tests/bare_tree.sh
open_trees tests/bare.sh "$@"
all=no
[ "${1-}" = --all ] && { all=yes; shift; }
[ $# -gt 0 ] || set -- bookworm trixie

# refused TREE COMMAND: the user novice runs the command, which fails because packages are missing; root runs
# the line that it prints.
refused() {
  ! in_tree "$1" novice "$2" >"$work/refusal" 2>&1 || { echo "FAILED: '$2' works without packages"; exit 1; }
  [ "$(grep -c '^apt-get ' "$work/refusal")" = 1 ] || { cat "$work/refusal"; echo "FAILED: no line to paste"; exit 1; }
  quietly in_tree "$1" root "export DEBIAN_FRONTEND=noninteractive; $(grep '^apt-get ' "$work/refusal")"
}

build_and_test() {
  new_tree build
  clone build novice
  step 'cmd/try.sh by a user without root or sudo, and the command that it gives'
  refused build 'sh bert/cmd/try.sh'
  step 'cmd/try.sh'
  in_tree build novice 'sh bert/cmd/try.sh'
  step 'command-line cases and examples'
  quietly in_tree build root 'apt-get install -y --no-install-recommends python3 curl jq parallel xz-utils bzip2 zstd'  # for cases and examples
  quietly in_tree build novice 'cd bert/tests/cases && echo *.case | xargs -n 8 -P "$(nproc)" sh run.sh ../../build/cmd'
  for page in README.md cmd/examples/README.md; do
    quietly in_tree build novice "cd bert && sh tests/docs/examples.sh build/cmd . $page"
  done
  # bookworm has no pgvector.
  if [ "$release" = trixie ]; then
    step 'the example for PostgreSQL'
    quietly in_tree build root 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-numpy postgresql-17-pgvector'
    quietly in_tree build novice 'cd bert && sh tests/cmd/examples/postgresql.sh build/cmd cmd/examples'
  fi
}

install_packages() {
  step 'packages through sudo'
  new_tree sudo
  quietly in_tree sudo root 'apt-get update && apt-get install -y --no-install-recommends sudo'
  echo 'novice ALL=(ALL) NOPASSWD: ALL' >"$work/sudo/etc/sudoers.d/novice"
  clone sudo novice
  quietly in_tree sudo novice 'sh bert/cmd/packages.sh && command -v cmake'
  drop_tree sudo
  step 'packages as root'
  new_tree root
  clone root root
  quietly in_tree root root 'sh bert/cmd/packages.sh && command -v cmake'
  drop_tree root
}

files_of() { in_tree "$1" root 'find / -xdev \( -path /proc -o -path /var -o -path /tmp -o -path /home \) -prune -o -print | sort'; }

# The Debian package, from build to removal; afterwards the files are the same as before.
package() {
  step 'cpack -G DEB, cpack -G TGZ, lintian'
  quietly in_tree build root 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends dpkg-dev file lintian'
  quietly in_tree build novice 'cd bert/build && cpack -G DEB && cpack -G TGZ &&
    tar -xzf bert-*.tar.gz && diff -r -x .git -x build bert-*/ .. && rm -r bert-*/'
  quietly in_tree build novice 'lintian --fail-on error,warning bert/build/bert_*.deb'
  step 'the package in a tree without compilers'
  new_tree user
  quietly in_tree user root 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    man-db bash-completion zsh fish'
  files_of user >"$work/before"
  cp "$work"/build/home/novice/bert/build/bert_*.deb tests/installed.sh "$work/user/tmp"
  quietly in_tree user root 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /tmp/bert_*.deb'
  in_tree user novice 'sh /tmp/installed.sh'
  step 'its removal'
  quietly in_tree user root 'apt-get purge -y bert && apt-get autoremove -y --purge'
  files_of user >"$work/after"
  diff "$work/before" "$work/after" || { echo "FAILED: the removal leaves or takes these files"; exit 1; }
  drop_tree user
}

# The bundle runs the first examples of the README in a tree that has nothing but Debian's essential packages.
bundle() {
  step 'the target bundle'
  quietly in_tree build novice 'cmake --build bert/build --target bundle'
  step 'its archive in a tree without any package'
  new_tree plain
  clone plain novice
  cp "$work"/build/home/novice/bert/build/bert-*-*.tar.gz "$work/plain/tmp"
  quietly in_tree plain novice 'tar -xzf /tmp/bert-*.tar.gz && mv bert-*-* moved && sed "/^## Install/q" bert/README.md >first.md &&
    sh bert/tests/docs/examples.sh moved/bin bert first.md && moved/bin/bert-train -V && ls moved/share/doc/bert/licences/libdnnl*'
  drop_tree plain
}

# cmake --install for a single user, and its removal.
install_for_one() {
  step 'cmake --install --prefix ~/.local, and the target uninstall'
  quietly in_tree build novice 'mkdir -p .local/share/mine && touch .local/share/mine/file && cd bert &&
    cmake --install build --prefix ~/.local && echo text | ~/.local/bin/bert-embed --dim 1 && cmake --build build --target uninstall'
  left=$(in_tree build novice 'find .local | sort | paste -s -d " "')
  [ "$left" = '.local .local/bin .local/share .local/share/mine .local/share/mine/file' ] || { echo "FAILED: left: $left"; exit 1; }
}

run_all_tests() {
  step 'tests/run.sh by a user without root or sudo, and the command that it gives'
  refused build 'sh bert/tests/run.sh'
  step 'tests/run.sh'
  in_tree build novice 'sh bert/tests/run.sh'
}

for release; do
  step debootstrap
  first_tree
  build_and_test
  install_for_one
  package
  bundle
  install_packages
  [ "$all" = no ] || run_all_tests
  drop_tree build
  rm -rf --one-file-system "${work:?}/$release"
  step passed
done
