export const DEFAULT_PORT = 19988;
