"""Operations on sessions, tabs, connections and captures."""
