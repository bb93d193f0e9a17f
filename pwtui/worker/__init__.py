"""The worker process of one profile: its executor and its driver."""
