# start_hub HERE FOLDER NAME=DIRECTORY... [OPTION...]: server.py in the place of the Hugging Face Hub, and a cache below the
# existing FOLDER. To be sourced; the caller calls stop_hub at its end. FOLDER is absolute; HERE is the
# folder of this file. Returns 77 where curl or Python are missing.
hub=

stop_hub() {
  [ -z "$hub" ] || kill "$hub" 2>/dev/null
  hub=
}

start_hub() {
  hub_here=$1 hub_folder=$2
  shift 2
  stop_hub
  for hub_program in curl python3; do
    command -v $hub_program >/dev/null || { echo "skipped: $hub_program is absent"; return 77; }
  done
  rm -f "$hub_folder/port"
  mkfifo "$hub_folder/port"
  python3 "$hub_here/server.py" "$@" >"$hub_folder/port" &
  hub=$!
  read -r hub_port <"$hub_folder/port"
  export HF_ENDPOINT="http://127.0.0.1:$hub_port" HF_HOME="$hub_folder/huggingface"
  unset HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_TOKEN HF_TOKEN_PATH HF_HUB_OFFLINE http_proxy https_proxy all_proxy
}
