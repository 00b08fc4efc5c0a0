"""Export: the analysis as files for coding agents, made from the same personas, steps and rules."""
