"""Operations on profiles, the daemon and pwtui itself."""
