"""Apart from the records, which take long to import: the arguments of `pw` need it."""

DEFAULT_PORT = 19988
