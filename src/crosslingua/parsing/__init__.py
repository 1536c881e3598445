"""A dependency parser that learns from a treebank in minutes: real text has no trees, and transformations need some."""
