# Labels that cannot be predicted are refused with what to do, without options that nobody gave.
cp -R "$MODELS/classify" model && chmod -R u+w model
predict() { echo king | bert-predict -m model; }
sed -i 's/"neutral"/"negative"/' model/config.json
grep -A 4 id2label model/config.json
predict
cp "$MODELS/classify/config.json" model
sed -i '1s/.*/{"problem_type":"regression",/; 2,$s/.*"problem_type".*//' model/config.json
predict
