# shellcheck shell=sh disable=SC2154
# docs_hub FOLDER: the Hugging Face Hub of the documentation, with models of the tests; to be sourced. $page is the page,
# $repository the root of the sources. Exits with 77 if the page needs it and a program is missing.
stop_hub() { :; }
docs_hub() { :; }
if grep -q bert-fetch "$page"; then
  . "$repository/tests/hub/hub.sh"
  docs_hub() {
    models=$repository/tests/golden/models
    start_hub "$repository/tests/hub" "$1" "google-bert/bert-base-uncased=$models/masked-lm" \
      "sentence-transformers/all-MiniLM-L6-v2=$models/sentence-old" || exit 77
  }
fi
