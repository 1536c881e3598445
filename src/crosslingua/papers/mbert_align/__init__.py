"""Kulshreshtha et al. 2020: rotating or fine-tuning multilingual BERT to align it, for NER and slot filling."""

TITLE = "Alignment methods for multilingual BERT"
AUTHORS = "Kulshreshtha et al. 2020"
