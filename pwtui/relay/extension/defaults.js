// Replaced in the private copy that `pw relay extension` creates. Without a secret it is not paired.
export const DEFAULT_PORT = 19988;
export const PAIRING_SECRET = "";
