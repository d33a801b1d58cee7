/** Maximum bytes of JSON bodies (1.11). Multipart bodies have limits by part. */
export const bodyLimits = {
  /** Paths under /auth/: an e-mail address and two passwords. */
  auth: 16 * 1_024,
  /** All other routes. */
  single: 64 * 1_024,
  /** Bulk calls, and the app association files of a domain, each of which may have 128 KiB. */
  large: 4 * 1_024 * 1_024,
} as const;
