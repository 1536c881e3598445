"""The atlas: joint training, alignment, or both for many real language pairs, and what decides between them."""
