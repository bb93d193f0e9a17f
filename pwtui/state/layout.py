"""Where the state of a workspace is, for what must not load more."""

STATE_FOLDER = "playwright/.pw-cli-v4"
PROFILES_FOLDER = f"{STATE_FOLDER}/profiles"
