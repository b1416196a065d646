/** E-mail addresses in certificates: the Mailbox of RFC 2821, 4.1.2, with the tolerance of Go's x509. */
import { isDomainName } from './domain-name.ts';

export interface Mailbox {
  /** Without quotes and backslashes. */
  readonly local: string;
  readonly domain: string;
}

/** The characters of a quoted local part (qtext and space) and those after a backslash. */
const QUOTED = /^"((?:[\x01-\x08\x0b\x0c\x0e-!#-[\]-\x7f]|\\[\x01-\x09\x0b\x0c\x0e-\x7f])*)"@/;
/** RFC 3696 has examples of a backslash outside of quotes. */
const ATOMS = /^((?:[0-9A-Za-z!#$%&'*+\-/=?^_`{|}~.]|\\[\s\S])+)@/;

/** Parses an address of ASCII characters; undefined if it is malformed. */
export function parseMailbox(text: string): Mailbox | undefined {
  const isQuoted = text.startsWith('"');
  const match = (isQuoted ? QUOTED : ATOMS).exec(text);
  if (match === null) return undefined;
  const local = (match[1] as string).replace(/\\([\s\S])/g, '$1');
  if (!isQuoted && /^\.|\.\.|\.$/.test(local)) return undefined;
  const domain = text.slice(match[0].length);
  return isDomainName(domain, false) ? { local, domain } : undefined;
}

export function formatMailbox({ local, domain }: Mailbox): string {
  return `${local}@${domain}`;
}
