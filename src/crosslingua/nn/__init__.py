"""What models of several families share: layers, optimisers, checkpoints, rows of unequal length."""
