"""DeBERTa v3's discriminator (He et al. 2021, "DeBERTaV3", section 3), which transformers lacks: its DebertaV2Model with
the head of Microsoft's replaced_token_detection_model.py, a logit for each token from its hidden state and that of [CLS]:
classifier(act(dense(LayerNorm(h + h[0])))). Names of tensors as in Microsoft's files.
"""
import torch
import transformers as tf
from transformers.activations import ACT2FN
from transformers.modeling_outputs import TokenClassifierOutput


class MaskPredictions(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = torch.nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = torch.nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.classifier = torch.nn.Linear(config.hidden_size, 1)
        self.activation = ACT2FN[config.hidden_act]

    def forward(self, states):
        in_context = self.LayerNorm(states[:, :1] + states)
        return self.classifier(self.activation(self.dense(in_context))).squeeze(-1)


class DebertaV2ForPreTraining(tf.DebertaV2PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.deberta = tf.DebertaV2Model(config)
        self.mask_predictions = MaskPredictions(config)
        self.post_init()

    def forward(self, input_ids, attention_mask, labels=None, token_type_ids=None, **others):
        """labels: 1 for a replaced token; the loss is the mean over the tokens that are not padding."""
        output = self.deberta(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids,
                              **others)
        logits = self.mask_predictions(output.last_hidden_state)
        loss = None
        if labels is not None:
            real = attention_mask.bool()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits[real], labels[real].to(logits.dtype))
        return TokenClassifierOutput(loss=loss, logits=logits, hidden_states=output.hidden_states)
