"""`crosslingua ask`: for two texts, say which strategy to use; give the dictionary and vectors that follow from it."""
