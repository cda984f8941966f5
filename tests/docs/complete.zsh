# Prints what zsh offers, one word a line: zsh -f complete.zsh FOLDER LINE, with the completions in FOLDER.
zmodload zsh/zpty
file=$(mktemp)
zpty shell zsh -f -i
send() { zpty -w shell $1 }
send "PROMPT= RPROMPT= file=${(q)file} fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -D -u"
# Calls with -O, -A or -D only fill arrays.
send 'compadd() { [[ ${@[1,(i)(-|--)]} = *-(O|A|D)\ * ]] || { builtin compadd -A found "$@"; print -rl -- $found >>$file }; builtin compadd "$@" }'
send 'finished() { print -- "=" >>$file }; comppostfuncs=(finished); bindkey "^I" complete-word'
zpty -w -n shell "$2"$'\t'
for try in {1..200}; do
  [[ $(tail -n 1 $file) = = ]] && break
  zpty -r -t shell ignored
  sleep 0.05
done
zpty -d shell
grep -v '^=$' $file | sort -u
rm $file
