"""The model panel: any language model gives the personas their words. Importing it loads no model library."""
