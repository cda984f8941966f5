# At each step, the line with the training loss comes before that of the dev set, in all tasks and for pipes.
printf '{"words":["the","king","%s"],"tags":["O","B-PER","O"]}\n' a b c d e f g >words.jsonl
printf '{"text":"the king %s","label":"%s"}\n' a x b y c x d y e x f y g x >texts.jsonl
train() { bert-train -m "$MODELS/bare" -j 1 --batch-size 2 -q "$@" | sed 's/"step":\([0-9]*\),"\(dev_\)*.*/\1 \2/; s/^{//'; }
for options in '--task tag --dev words.jsonl -o tag words.jsonl' '--task classify --dev texts.jsonl -o classify texts.jsonl' \
  '--task classify --dev texts.jsonl --epochs 1 --on-error skip -o skip texts.jsonl' \
  '--task classify --labels x,y --schedule constant --dev texts.jsonl --eval-every 2 -o pipe -' \
  '--task classify --dev texts.jsonl --log-every 2 --epochs 1 --eval-every 3 -o every texts.jsonl'; do
  echo "--- $options"
  # Options are a list of words.
  # shellcheck disable=SC2086
  train $options <texts.jsonl | paste -s -d ,
done
