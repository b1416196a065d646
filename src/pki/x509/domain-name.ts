/** Domain names in certificates. */

/**
 * Returns whether a name has only non-empty labels of visible ASCII characters. The empty name is allowed. A name
 * constraint may start with a period.
 */
export function isDomainName(name: string, isConstraint: boolean): boolean {
  const labels = isConstraint && name.startsWith('.') ? name.slice(1) : name;
  return name === '' || /^[!-\-/-~]+(?:\.[!-\-/-~]+)*$/.test(labels);
}

/** Lower-cases ASCII letters only. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
