"""One background process for each user: browsers that outlive a command."""
