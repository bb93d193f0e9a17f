"""The durable record of what happened: write, query, prune, export, report."""
