export type QrOptions = Record<string, unknown>;
