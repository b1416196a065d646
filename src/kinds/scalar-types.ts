/** What the scalars of the built-in kinds are in JSON. The names say what a text holds; nothing checks it. */

/** An integer of 64 bits: a bigint only where a number would not be exact. */
export type Int64 = number | bigint;

/** A number or a text: a port or its name, a count or a percentage. */
export type IntOrString = number | string;

/** `100m`, `1.5Gi`. */
export type Quantity = string;

/** RFC 3339 in seconds: `2026-01-31T12:00:00Z`. */
export type Time = string;

/** RFC 3339 in microseconds: `2026-01-31T12:00:00.000000Z`. */
export type MicroTime = string;

/** As Go prints it: `1h30m0s`. */
export type Duration = string;

/** Bytes in the standard base64. */
export type Base64 = string;
