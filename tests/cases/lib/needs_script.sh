# Skips the section without script(1), which runs a command on a terminal.
command -v script >/dev/null || exit 77
