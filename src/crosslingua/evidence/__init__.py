"""What verdicts rest on: values of each measure by system, seed and test item, and who takes part."""
