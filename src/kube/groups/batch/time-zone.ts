/** Names of time zones. Invariant: pure; the messages are those of the reference's runtime, the zones those that this runtime knows. */

/** What is wrong with the name of a zone that is to be loaded; undefined if nothing is. '' and `Local` are zones here. */
export function timeZoneProblem(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  if (name.includes('..') || name.startsWith('/') || name.startsWith('\\')) return 'time: invalid location name';
  return isKnownZone(name) ? undefined : `unknown time zone ${name}`;
}

/** The runtime takes names in any case and offsets too; the reference's zones are files, whose names are exact. */
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
