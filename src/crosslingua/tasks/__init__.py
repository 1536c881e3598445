"""Tasks: the record of each kind (`kinds`), and how an encoder is fine-tuned on it, predicts, and is scored."""
