"""The worker of one profile: its executor and its driver, in a process of their own."""
