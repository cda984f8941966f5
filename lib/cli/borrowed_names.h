// Names from other tools: transformers and its run_*.py, sentence-transformers, fairseq, spaCy, fastText,
// llama.cpp, jq, curl and grep.
#pragma once

#include <string_view>

namespace bert::cli {

// Names that other tools have for something, with - for _ and in lower case, without hyphens in front except
// for single letters. The first row with the name and an answer that the tool has is used.
struct Borrowed {
  std::string_view names;  // separated by spaces
  // Options separated by ';'. A value after the name must be one of the option's words or its placeholder.
  // "FILE" or "DIR": an operand; "bert-train FILE": that of this tool. Without a hyphen in front: a remark.
  // "--columns? REMARK": a remark for tools that have this option.
  std::string_view ours;
};

constexpr Borrowed kOptions[] = {
    // running
    {"device devices gpu gpus gpu-id gpu-ids cuda no-cuda no-gpu use-cuda use-gpu use-cpu cpu n-gpu num-gpus "
     "n-gpu-layers ngl mps tpu",
     "everything runs on the CPU"},
    {"fp16 bf16 half amp mixed-precision bfloat16", "--dtype bf16"},
    {"fp16 half", "--store f16"},
    {"bf16 bfloat16", "--store bf16"},
    {"int8 load-in-8bit quant quantize quantization quantized", "--dtype int8"},
    {"torch-dtype data-type float-type compute-type", "--dtype;--store"},
    {"dtype outtype quant quantize quantization quantized", "--store"},
    {"num-threads n-threads nthreads thread num-workers n-workers workers jobs num-jobs n-jobs njobs cpus "
     "cores num-cores nproc num-proc num-processes dataloader-num-workers preprocessing-num-workers parallel",
     "--threads"},
    {"silent", "--quiet"},
    {"no-progress no-progress-bar disable-tqdm", "--progress never"},
    {"no-progress no-progress-bar disable-tqdm", "--quiet"},
    {"show-progress show-progress-bar progress-bar", "--progress always"},
    {"debug log-level verbosity", "--verbose"},
    {"random-state random-seed rng-seed manual-seed", "--seed"},
    {"time-limit max-time timeout max-hours", "--budget"},

    // models and tokenizers
    {"model-name-or-path model-name model-path model-dir model-directory model-id model-file pretrained "
     "pretrained-model pretrained-model-path bert-model checkpoint ckpt init-checkpoint encoder",
     "--model"},
    {"-m model model-name-or-path model-name model-path model-dir model-directory model-id checkpoint ckpt "
     "in "
     "input source src",
     "DIR"},
    {"tokenizer tokenizer-name tokenizer-path", "--model"},
    {"vocab-file vocab-path vocabulary vocabulary-file tokenizer-file dict dictionary", "--vocab"},
    {"config-name bert-config-file bert-config", "--model-config"},
    {"config-file options options-file args-file", "--config"},
    {"layer layers num-layers num-hidden-layers", "--layers"},
    {"layer layers num-layers num-hidden-layers hidden-size num-attention-heads from-scratch",
     "--preset;--model-config"},
    {"do-lower-case do-lowercase lower-case lowercase lower strip-accents", "--uncased"},
    {"no-lower-case no-lowercase case-sensitive keep-case", "--cased"},
    {"token", "--tokens"},
    {"cache-dir revision trust-remote-code hf-token token use-auth-token download offline local-files-only",
     "models are directories on disk; nothing is downloaded"},

    // lengths
    {"max-seq-length max-seq-len max-sequence-length max-len maxlen max-tokens max-input-length "
     "max-source-length model-max-length seq-length seq-len sequence-length block-size ctx-size n-ctx",
     "--max-length"},
    {"truncate truncation no-truncation", "--overflow"},
    {"doc-stride", "--stride"},
    {"doc-stride stride", "--overlap"},
    {"padding pad pad-to-max-length", "sequences are not padded"},
    {"max-query-length", "--max-question-length"},
    {"n-best-size nbest", "--n-best"},
    {"null-score-diff-threshold version-2-with-negative na-prob-thresh", "--no-answer-threshold"},

    // input
    {"text-column text-col text-key text-column-name sentence-column sentence1-key sentence-key input-column "
     "input-field content-column text-a text1",
     "--text-field"},
    {"column column-name field field-name", "--text-field;--columns"},
    {"sentence2-key text-b text2 text-pair pair-column pair-key second-text", "--pair-field"},
    {"label-column label-col label-column-name label-key target target-column target-field class-column "
     "gold-field",
     "--label-field"},
    {"id id-column id-key join-on key", "--id-field"},
    {"-d -F delim sep separator field-separator field-delimiter", "--delimiter"},
    {"delim delimiter sep separator field-separator field-delimiter", "--input-format tsv"},
    {"cols no-header noheader column-names col-names names fieldnames", "--columns"},
    {"header has-header", "--columns? the first line of a table has the names of its columns"},
    {"tsv tab", "--input-format tsv;--format tsv"},
    {"csv", "--input-format csv;--format csv"},
    {"json jsonl jsonlines json-lines ndjson", "--input-format jsonl;--format jsonl"},
    {"input-type input-fmt informat file-format", "--input-format"},
    {"errors", "--on-error;--invalid-utf8"},
    {"skip-errors ignore-errors continue-on-error skip-invalid skip-bad-lines on-bad-lines keep-going",
     "--on-error skip"},
    {"from-encoding input-encoding charset", "--encoding"},
    {"validation-file validation-data validation valid valid-file val val-file dev-file dev-data eval "
     "eval-file eval-data eval-dataset do-eval test test-file test-data",
     "--dev"},
    {"gold-file gold-labels reference references ref refs truth ground-truth labels answers expected y-true",
     "--gold"},
    {"na-prob-file null-odds", "--null-scores"},
    {"index-file database db corpus corpus-file documents docs embeddings vectors", "--index"},
    {"train train-file train-data train-data-file training-file training-data", "bert-train FILE"},
    {"query query-file queries", "bert-search FILE"},
    {"-i input inputs input-file input-files input-path input-dir file files filename in infile in-file data "
     "data-file data-path data-dir dataset dataset-name corpus corpus-file documents docs text-file "
     "test-file test-data eval-file predict-file source src",
     "FILE"},
    {"prediction predictions prediction-file predictions-file pred preds", "bert-score FILE"},

    // output
    {"output-file output-path output-dir output-directory out-file out-dir outfile outdir save save-path "
     "save-dir save-to save-model out dest destination export-path output-prediction-file",
     "--output"},
    {"overwrite overwrite-output-dir clobber yes", "--force"},
    {"fields select include only only-fields output-fields project", "--keep NAME,..."},
    {"exclude omit remove remove-columns drop-columns skip-fields ignore-fields", "--drop NAME,..."},
    {"output-format out-format outformat fmt", "--format"},
    {"fmt", "--input-format"},
    {"ids", "--format ids"},
    {"pretty indent human table", "--format text"},
    {"unbuffered line-buffer flush", "--line-buffered"},
    {"digits decimals decimal-places round float-format", "--precision"},
    {"confusion-matrix", "--plot"},

    // vectors and search
    {"pool pooling-mode pooling-strategy pooling-method pooling-type", "--pooling"},
    {"token-embeddings per-token", "--pooling none"},
    {"normalise normalized normalised normalize-embeddings l2-normalize embd-normalize unit-norm l2",
     "--normalize"},
    {"dims dimension dimensions truncate-dim embedding-dim output-dim vector-size matryoshka-dim", "--dim"},
    {"dim dimension dimensions matryoshka-dims", "--dims"},
    {"prompt-name prompt-template instruction query-instruction prefix query-prefix", "--prompt"},
    {"output-hidden-states hidden-states", "--layers"},
    {"attentions output-attentions attn", "--attention"},
    {"k topk topn top n-results num-candidates", "--top-k"},
    {"k n top topk topn top-k n-results num-results n-neighbors num-neighbors n-neighbours neighbours knn "
     "limit",
     "--neighbors"},
    {"n-clusters num-clusters clusters kmeans k-means", "--cluster"},
    {"similarity sim distance distance-metric measure", "--metric cosine|dot|l2"},
    {"dedupe deduplicate near-duplicates", "--dedup"},
    {"ef efsearch ef-search", "--candidates"},
    {"hnsw faiss annoy", "--graph"},
    {"metadata payload", "--with"},

    // training
    {"batch batchsize bs minibatch mini-batch-size train-batch-size per-device-train-batch-size "
     "per-gpu-train-batch-size",
     "--batch-size"},
    {"eval-batch-size per-device-eval-batch-size",
     "--dev? the dev set is evaluated in batches of a fixed number of tokens"},
    {"batch batch-size batchsize bs ubatch-size eval-batch-size per-device-eval-batch-size "
     "predict-batch-size max-batch-tokens tokens-per-batch",
     "--batch-tokens"},
    {"learning-rate rate base-lr max-lr peak-lr initial-lr eta step-size", "--lr"},
    {"epoch num-train-epochs num-epochs n-epochs max-epochs max-epoch", "--epochs"},
    {"max-steps num-train-steps num-steps total-steps iterations max-update max-updates max-iter", "--steps"},
    {"warmup-steps warmup-ratio warmup-proportion warmup-updates num-warmup-steps", "--warmup"},
    {"lr-scheduler lr-scheduler-type scheduler lr-schedule", "--schedule"},
    {"optim optimiser", "--optimizer"},
    {"adam-beta1 beta-1 momentum", "--beta1"},
    {"adam-beta2 beta-2", "--beta2"},
    {"betas adam-betas", "--beta1;--beta2"},
    {"adam-epsilon adam-eps eps", "--epsilon"},
    {"wd l2-penalty", "--weight-decay"},
    {"max-grad-norm clip-norm clipnorm grad-clip clip-grad clip-grad-norm gradient-clipping "
     "gradient-clip-val",
     "--clip"},
    {"gradient-accumulation-steps gradient-accumulation grad-accum accumulation-steps update-freq "
     "accumulate-grad-batches",
     "--accumulate"},
    {"gradient-checkpointing activation-checkpointing", "--recompute"},
    {"hidden-dropout hidden-dropout-prob dropout-prob", "--dropout"},
    {"layerwise-lr-decay llrd", "--layer-decay"},
    {"shuffle", "--no-shuffle;--shuffle-buffer"},
    {"save-steps save-interval save-freq save-checkpoints-steps checkpoint-every", "--save-every"},
    {"save-total-limit keep-checkpoints max-checkpoints", "--keep N"},
    {"logging-steps log-steps log-interval logging-interval", "--log-every"},
    {"eval-steps evaluation-steps eval-interval eval-freq validate-interval", "--eval-every"},
    {"early-stopping early-stopping-patience early-stop", "--patience"},
    {"metric metric-for-best-model load-best-model-at-end best-metric best-checkpoint-metric", "--best"},
    {"resume-from-checkpoint resume-from restore restore-file continue restart", "--resume"},
    {"mlm-probability mlm-prob masked-lm-prob masking-prob", "--mask-prob"},
    {"whole-word-mask whole-word-masking do-whole-word-mask wwm", "--whole-word"},
    {"max-predictions-per-seq", "--max-predictions"},
    {"label-list label-names classes", "--labels"},
    {"num-labels num-classes n-classes",
     "--class-weights? the labels are those of the records, or of --labels"},
    {"loss-function loss-type objective", "--loss"},

    // tasks, vocabularies, conversion
    {"task-name task-type problem-type pipeline", "--task"},
    {"aggregation aggregation-strategy", "--aggregate"},
    {"score threshold score-threshold cutoff min-similarity", "--min-score"},
    {"filter", "--where"},
    {"glob pattern", "--include"},
    {"recurse recurse-directories", "--recursive"},
    {"chunk chunks chunking", "--cut"},
    {"-A -B after-context before-context", "--context"},
    {"files-only", "--files-with-matches"},
    {"colour", "--color"},
    {"vocab-size vocabulary-size n-vocab", "--size"},
    {"min-freq minfreq min-count mincount", "--min-frequency"},
    {"alphabet limit-alphabet", "--alphabet-limit"},
    {"add-special-tokens special-tokens", "--no-special-tokens? special tokens are added by default"},
    {"no-specials skip-special-tokens", "--no-special-tokens"},
    {"return-offsets return-offsets-mapping", "--offsets"},
    {"detokenize untokenize", "--decode"},
    {"lang language", "--locale"},
    {"count statistics summary", "--stats"},
    {"metrics average", "--metric NAME,..."},
    {"pos-label", "--positive"},
    {"check checksum", "--verify"},
    {"describe show summary inspect", "--info"},
};

// Words with a meaning of their own, which no tool has an option for, or only other tools than the one that
// was given them. They are neither misspelled nor shortened.
constexpr std::string_view kOtherNames =
    "score scores threshold cutoff min-score min-similarity limit size strip strict locale split masked "
    "encode null nul on to unfreeze "
    "n-best store stride scale best mode tokens drop";

constexpr Borrowed kWords[] = {
    {"avg average mean-pooling", "mean"},
    {"cls-token first-token", "cls"},
    {"max-pooling", "max"},
    {"pooler-output", "pooler"},
    {"tokens token", "none"},
    {"json ndjson jsonlines json-lines", "jsonl"},
    {"numpy", "npy"},
    {"tab tabs", "tsv"},
    {"txt plain lines line raw", "text"},
    {"table human pretty", "text"},
    {"iob bio conll2003 conllu conll-u conllup conllu-plus", "conll"},
    {"ner pos token-classification chunking named-entity-recognition sequence-labeling tagging", "tag"},
    {"classification text-classification sequence-classification sentiment sentiment-analysis nli",
     "classify"},
    {"regression sts stsb", "regress"},
    {"multi-label-classification multilabel-classification", "multilabel"},
    {"qa squad question-answering answering extractive-qa", "answer"},
    {"multiple-choice swag choice", "choose"},
    {"mlm lm masked-lm fill-mask language-modeling", "fill"},
    {"mlm lm masked-lm language-modeling fill pretraining", "pretrain"},
    {"pretrain pretraining", "fill"},
    {"nsp next-sentence next-sentence-prediction", "next"},
    {"rtd electra discriminator replaced-token-detection", "replaced"},
    {"nsp next-sentence next-sentence-prediction next", "pretrain"},
    {"embedding sentence-similarity simcse contrastive retrieval", "embed"},
    {"embed embedding sentence-similarity simcse contrastive retrieval similarity",
     "perplexity? bert-embed makes vectors of texts"},
    {"distillation distil knowledge-distillation minilm tinybert", "distill"},
    {"rerank reranking ranking cross-encoder", "rank"},
    {"ppl pseudo-perplexity", "perplexity"},
    {"fp32 float32 float", "f32"},
    {"fp16 float16 half", "f16"},
    {"bfloat16 f16 fp16 float16 half", "bf16"},
    {"i8 q8 8bit int", "int8"},
    {"cos angular", "cosine"},
    {"euclidean euclid", "l2"},
    {"ip inner-product dotproduct dot-product", "dot"},
    {"l2", "euclidean"},
    {"adam", "adamw"},
    {"ignore continue", "skip"},
    {"fail abort strict raise", "stop"},
    {"huggingface hugging-face transformers", "hf"},
    {"mnr mnrl infonce multiple-negatives-ranking", "ranking"},
    {"char", "chars"},
    {"byte", "bytes"},
    {"on yes true", "always"},
    {"off no false", "never"},
    {"bioes", "iobes"},
    {"bio iob", "iob2"},
    {"acc", "accuracy"},
    {"mcc matthews-correlation phi", "matthews"},
    {"f1-macro f1-score", "macro_f1"},
    {"f1-score", "f1"},
    {"f1-micro", "micro_f1"},
    {"em exact", "exact_match"},
    {"pearsonr r", "pearson"},
    {"spearmanr rho", "spearman"},
    {"support per-label report classification-report", "labels"},
    {"per-type per-tag report classification-report", "types"},
    {"calibration", "ece"},
    {"hits top-k recall-at-k", "top_k_accuracy"},
};

}  // namespace bert::cli
