/** The name constraints of an authority (RFC 5280, 4.2.1.10): the names that certificates below it may have. */
import { quote, quoteBytes } from '../../apimachinery/go-format.ts';
import { formatHex } from '../../base/bytes.ts';
import { contextTag, DER } from '../der.ts';
import { parseIp } from '../ip.ts';
import { CertificateFault, need } from './certificate-fault.ts';
import { DerReader } from './der-reader.ts';
import { latin1 } from './distinguished-name.ts';
import { isDomainName } from './domain-name.ts';
import { parseMailbox } from './mailbox.ts';

export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  /** A subtree has a type that is not evaluated, such as a directory name. */
  readonly hasOtherTypes: boolean;
}

export interface Subtrees {
  readonly dnsNames: readonly string[];
  /** Domains and whole addresses. */
  readonly emailAddresses: readonly string[];
  readonly uriDomains: readonly string[];
  readonly networks: readonly Network[];
}

export interface Network {
  /** 4 or 16 bytes. Bits beyond the mask may be set. */
  readonly address: Uint8Array;
  /** As long as the address: ones, then zeros. */
  readonly mask: Uint8Array;
}

const EMAIL = contextTag(1, false);
const DNS = contextTag(2, false);
const URI = contextTag(6, false);
const IP = contextTag(7, false);
const INVALID = 'x509: invalid NameConstraints extension';

/** Throws CertificateFault. */
export function parseNameConstraints(bytes: Uint8Array): NameConstraints {
  const outer = new DerReader(bytes);
  const fields = need(outer.enter(DER.sequence), INVALID);
  const [permitted, excluded] = [0, 1].map((number) => {
    const tag = contextTag(number, true);
    return fields.peek(tag) ? need(fields.read(tag), INVALID).content : undefined;
  });
  if (!outer.isEmpty || !fields.isEmpty) throw new CertificateFault(INVALID);
  if ((permitted?.length ?? 0) === 0 && (excluded?.length ?? 0) === 0)
    throw new CertificateFault('x509: empty name constraints extension');
  const [allowed, refused] = [parseSubtrees(permitted), parseSubtrees(excluded)];
  return {
    permitted: allowed.subtrees,
    excluded: refused.subtrees,
    hasOtherTypes: allowed.hasOtherTypes || refused.hasOtherTypes,
  };
}

function parseSubtrees(content: Uint8Array = new Uint8Array()): { subtrees: Subtrees; hasOtherTypes: boolean } {
  const dnsNames: string[] = [];
  const emailAddresses: string[] = [];
  const uriDomains: string[] = [];
  const networks: Network[] = [];
  let hasOtherTypes = false;
  const list = new DerReader(content);
  while (!list.isEmpty) {
    const { tag, content: base } = need(list.enter(DER.sequence)?.readAny(), INVALID);
    if (tag === DNS) dnsNames.push(parseDnsName(base));
    else if (tag === EMAIL) emailAddresses.push(parseEmail(base));
    else if (tag === URI) uriDomains.push(parseUriDomain(base));
    else if (tag === IP) networks.push(parseNetwork(base));
    else hasOtherTypes = true;
  }
  return { subtrees: { dnsNames, emailAddresses, uriDomains, networks }, hasOtherTypes };
}

function asciiText(bytes: Uint8Array): string {
  const text = latin1(bytes);
  if (!/^[\0-\x7f]*$/.test(text))
    throw new CertificateFault(
      `x509: invalid constraint value: x509: ${quoteBytes(bytes)} cannot be encoded as an IA5String`,
    );
  return text;
}

function parseDnsName(bytes: Uint8Array): string {
  const name = asciiText(bytes);
  if (!isDomainName(name, true)) throw new CertificateFault(`x509: failed to parse dnsName constraint ${quote(name)}`);
  return name;
}

function parseEmail(bytes: Uint8Array): string {
  const name = asciiText(bytes);
  if (name.includes('@') ? parseMailbox(name) === undefined : !isDomainName(name, true))
    throw new CertificateFault(`x509: failed to parse rfc822Name constraint ${quote(name)}`);
  return name;
}

function parseUriDomain(bytes: Uint8Array): string {
  const name = asciiText(bytes);
  const problem = `x509: failed to parse URI constraint ${quote(name)}`;
  if (parseIp(name) !== undefined) throw new CertificateFault(`${problem}: cannot be IP address`);
  if (!isDomainName(name, true)) throw new CertificateFault(problem);
  return name;
}

function parseNetwork(bytes: Uint8Array): Network {
  if (bytes.length !== 8 && bytes.length !== 32)
    throw new CertificateFault(`x509: IP constraint contained value of length ${bytes.length}`);
  const half = bytes.length / 2;
  const mask = bytes.subarray(half);
  if (!isMask(mask)) throw new CertificateFault(`x509: IP constraint contained invalid mask ${formatHex(mask)}`);
  return { address: bytes.subarray(0, half), mask };
}

function isMask(mask: Uint8Array): boolean {
  let bits = '';
  for (const byte of mask) bits += byte.toString(2).padStart(8, '0');
  return /^1*0*$/.test(bits);
}
