/** The retention of the LMDB store: how much history it keeps. */

export interface Retention {
  /** The age up to which changes are kept. Default one hour. */
  readonly ageMs: number;
  /** The most bytes of changes to keep. Default 256 MiB. */
  readonly bytes: number;
}

export const DEFAULT_RETENTION: Retention = { ageMs: 3_600_000, bytes: 256 * 2 ** 20 };
