/** The JSON types of the scalars of built-in kinds. They document the content of a string; nothing checks it. */

/** A 64-bit integer. It is a bigint only if a number would not be exact. */
export type Int64 = number | bigint;

/** A number or a string: a port or its name, a count or a percentage. */
export type IntOrString = number | string;

/** A quantity such as `100m` or `1.5Gi`. */
export type Quantity = string;

/** RFC 3339 in seconds: `2026-01-31T12:00:00Z`. */
export type Time = string;

/** RFC 3339 in microseconds: `2026-01-31T12:00:00.000000Z`. */
export type MicroTime = string;

/** A duration as Go prints it: `1h30m0s`. */
export type Duration = string;

/** Bytes in standard base64. */
export type Base64 = string;
