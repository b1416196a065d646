/** The failure of a certificate parser, with Go's message. It never leaves the parser. */
export class CertificateFault extends Error {}

/** Returns a value that a reader returned, or throws a CertificateFault if there is none. */
export function need<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new CertificateFault(message);
  return value;
}
