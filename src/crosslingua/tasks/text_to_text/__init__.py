"""All tasks as text that is read and text that is written (T5, mT5): one recipe without heads."""
