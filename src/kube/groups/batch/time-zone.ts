/** Validation of time zone names, with the messages of Go's time.LoadLocation and the time zones of this runtime. */

/** Returns the message for an unknown or malformed name, or undefined. '' and `Local` are valid names here. */
export function timeZoneProblem(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  if (name.includes('..') || name.startsWith('/') || name.startsWith('\\')) return 'time: invalid location name';
  return isKnownZone(name) ? undefined : `unknown time zone ${name}`;
}

/** Go finds zones by file name, so names are case-sensitive. Intl accepts names in any case, and offsets. */
function isKnownZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
  } catch (caught) {
    if (caught instanceof RangeError) return false;
    throw caught;
  }
}
