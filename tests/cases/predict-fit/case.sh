#!/bin/sh
# A model supports only the tasks of its trained head; problem_type tells multilabel from classify.
. "$CASE/../lib/try_models.sh"
try classify --task tag
try classify --task multilabel
try pretraining --task classify
try multilabel --task classify
try multilabel --task rank
try tag --task answer
variant untyped classify /problem_type/d
try untyped
try untyped --task multilabel
variant typed classify 's/single_label/multi_label/'
try typed --threshold 0
