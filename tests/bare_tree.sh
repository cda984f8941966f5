# shellcheck shell=sh disable=SC2154
# Shared by the scripts that work in bare Debian trees; to be sourced. The trees are in $work; their mounts
# are visible to this process only and end with it.

# open_trees SCRIPT ARGUMENT...: runs the script again in a mount namespace, or skips it if this is not
# possible.
open_trees() {
  if [ "${BERT_BARE-}" != inside ]; then
    [ "$(id -u)" = 0 ] || { echo "skipped: only root can make Debian trees"; exit 77; }
    command -v debootstrap >/dev/null || { echo "skipped: debootstrap is absent"; exit 77; }
    BERT_BARE=inside exec unshare --mount sh "$@"
  fi
  mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' | sed -n 's/^Debian|Debian|//p' | head -n 1)
  [ -n "$mirror" ] || { echo "apt here has no Debian mirror" >&2; exit 1; }
  work=$(mktemp -d "${TMPDIR:-/var/tmp}/bert-bare.XXXXXX")
  trap remove_trees EXIT
  trap 'exit 1' HUP INT TERM
  mkdir "$work/archives"
  began=$(date +%s)
}

remove_trees() {
  for mounted in "$work"/*/proc "$work"/*/dev/pts "$work"/*/var/cache/apt/archives; do
    ! mountpoint -q "$mounted" 2>/dev/null || umount "$mounted"
  done
  rm -rf --one-file-system "$work"
}

# step TEXT: prints the next step and the time.
step() { printf '%5d s  %s: %s\n' $(($(date +%s) - began)) "$release" "$1"; }

# quietly COMMAND...: shows a command's output only if it fails.
quietly() {
  "$@" >"$work/said" 2>&1 || { cat "$work/said"; echo "FAILED: $*"; exit 1; }
}

# in_tree TREE USER COMMAND: runs a shell command in the user's home, without this machine's environment.
in_tree() {
  home=$(home_of "$2")
  chroot --userspec="$2:$2" "$work/$1" /usr/bin/env -i HOME="$home" USER="$2" LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd '$home' && $3" </dev/null
}
home_of() { if [ "$1" = root ]; then echo /root; else echo "/home/$1"; fi; }

# first_tree: creates the tree of $release, with this machine's settings for reaching the mirror.
first_tree() {
  quietly debootstrap --variant=minbase "$release" "$work/$release" "$mirror"
  apt-config dump --format '%f "%v";%n' Acquire | grep -E '^Acquire::(https?|ftp|Retries|Check|Proxy)' \
    >"$work/$release/etc/apt/apt.conf.d/99mirror" || true
}

# new_tree NAME: copies it and adds the user novice. The copies share downloaded packages.
new_tree() {
  cp -a "$work/$release" "$work/$1"
  mount -t proc proc "$work/$1/proc"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$work/$1/dev/pts"
  ln -sf pts/ptmx "$work/$1/dev/ptmx"
  mount --bind "$work/archives" "$work/$1/var/cache/apt/archives"
  in_tree "$1" root 'useradd --create-home --shell /bin/bash novice'
}

drop_tree() {
  umount "$work/$1/proc" "$work/$1/dev/pts" "$work/$1/var/cache/apt/archives"
  rm -rf --one-file-system "${work:?}/$1"
}

# clone TREE USER: clones the committed state of this repository into the user's home.
clone() {
  home=$(home_of "$2")
  git clone -q --no-hardlinks . "$work/$1$home/bert"
  chroot "$work/$1" chown -R "$2:$2" "$home/bert"
}
