"""The panel's colour themes, one TOML file each."""
