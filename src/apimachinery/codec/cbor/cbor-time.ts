/** The JSON forms of CBOR's time tags. */

const RFC3339 =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})$/;

/** Whether a text has the form of RFC 3339. Days are not checked against the month. */
export function isRfc3339(text: string): boolean {
  return text.length <= 64 && RFC3339.test(text);
}

/** Seconds since 1970 as RFC 3339 in UTC, with as many decimals as needed; undefined outside the years 0 to 9999. */
export function formatEpoch(seconds: number | bigint): string | undefined {
  const whole = Math.floor(Number(seconds));
  const date = new Date(whole * 1000);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999) return undefined;
  const nanoseconds = Math.floor((Number(seconds) - whole) * 1e9);
  const decimals = nanoseconds === 0 ? '' : `.${nanoseconds.toString().padStart(9, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, 19)}${decimals}Z`;
}
