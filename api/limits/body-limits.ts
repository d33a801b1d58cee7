/** The most bytes that a JSON body may have (1.11); parts of multipart bodies have limits of their own. */
export const bodyLimits = {
  /** Under /auth/: an address and two passwords. */
  auth: 16 * 1_024,
  /** Where no bulk, file or import is taken. */
  single: 64 * 1_024,
  /** Bulk calls, and the app association files of a domain, each of which may have 128 KiB. */
  large: 4 * 1_024 * 1_024,
} as const;
