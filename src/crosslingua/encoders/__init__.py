"""Encoders: subword tokenisers and pre-training (align_mlm and xlm_align, sections 3), as Hugging Face folders."""
