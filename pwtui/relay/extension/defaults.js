// Replaced in the private copy that `pw relay extension` creates: without a secret it is unpaired.
export const DEFAULT_PORT = 19988;
export const PAIRING_SECRET = "";
