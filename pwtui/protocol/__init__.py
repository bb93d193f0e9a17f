"""The v5 protocol: envelopes, error codes, NDJSON framing, snapshots, locator expressions."""
