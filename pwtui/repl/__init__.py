"""`pw repl`: the keyword language at a prompt."""
