"""What pwtui keeps on disk: workspace, profiles, config, cache, session descriptors."""
