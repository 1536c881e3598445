"""Encoders: subword tokenisers and pre-training, into Hugging Face folders (align_mlm, section 3; xlm_align, section 3)."""
