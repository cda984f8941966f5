# The part that answers.mk and ensemble.mk have in common: from $(scored), records with an answer and the
# score of "no answer", to $(official), the answers in the format of SQuAD's official scripts. With
# THRESHOLD=dev, the threshold is the one with the highest F1 on DEV; $(limit) holds it.

$(call require,jq)

$(limit): $(scored) $(DEV)
	$(if $(filter dev,$(THRESHOLD)),bert-score --task answer --gold $(DEV) --metric best_f1_threshold $< | \
	  sed -n 's/.*"best_f1_threshold":\([^,}]*\).*/\1/p',echo '$(THRESHOLD)') >$@.part
	[ -s $@.part ] || { echo "$(DEV) has no questions without an answer: use THRESHOLD=" >&2; exit 1; }
	sync $@.part
	mv $@.part $@

$(official): $(scored) $(limit)
	jq -n --argjson limit "$$(cat $(limit))" \
	  '[inputs | {(.id | tostring): (if .null_score > $$limit then "" else .prediction end)}] | add // {}' $< $(into)
