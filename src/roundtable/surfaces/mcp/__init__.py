"""The MCP server: the table for a program that has a language model of its own, such as a coding agent."""
