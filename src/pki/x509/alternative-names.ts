/** The subject alternative names of a certificate (RFC 5280, 4.2.1.6). */
import { formatUrl, parseUrl } from '../../apimachinery/go/go-url.ts';
import { quote } from '../../apimachinery/go-format.ts';
import { contextTag, DER } from '../der.ts';
import { CertificateFault, need } from './certificate-fault.ts';
import { DerReader } from './der-reader.ts';
import { latin1 } from './distinguished-name.ts';
import { isDomainName } from './domain-name.ts';

export interface AlternativeNames {
  /** The content of the extension. */
  readonly bytes: Uint8Array;
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  /** 4 or 16 bytes each. */
  readonly ipAddresses: readonly Uint8Array[];
  readonly uris: readonly AlternativeUri[];
}

export interface AlternativeUri {
  /** As Go prints it. */
  readonly text: string;
  /** `host` or `host:port`; empty if the URI has none. */
  readonly host: string;
}

const EMAIL = contextTag(1, false);
const DNS = contextTag(2, false);
const URI = contextTag(6, false);
const IP = contextTag(7, false);

/** Ignores names of other types. Throws CertificateFault. */
export function parseAlternativeNames(bytes: Uint8Array): AlternativeNames {
  const names = need(new DerReader(bytes).enter(DER.sequence), 'x509: invalid subject alternative names');
  const dnsNames: string[] = [];
  const emailAddresses: string[] = [];
  const ipAddresses: Uint8Array[] = [];
  const uris: AlternativeUri[] = [];
  while (!names.isEmpty) {
    const { tag, content } = need(names.readAny(), 'x509: invalid subject alternative name');
    if (tag === EMAIL) emailAddresses.push(asciiText(content, 'rfc822Name'));
    else if (tag === DNS) dnsNames.push(asciiText(content, 'dNSName'));
    else if (tag === URI) uris.push(parseUri(asciiText(content, 'uniformResourceIdentifier')));
    else if (tag === IP) {
      if (content.length !== 4 && content.length !== 16)
        throw new CertificateFault(`x509: cannot parse IP address of length ${content.length}`);
      ipAddresses.push(content);
    }
  }
  return { bytes, dnsNames, emailAddresses, ipAddresses, uris };
}

function asciiText(content: Uint8Array, type: string): string {
  if (content.some((byte) => byte > 0x7f)) throw new CertificateFault(`x509: SAN ${type} is malformed`);
  return latin1(content);
}

function parseUri(text: string): AlternativeUri {
  const parsed = parseUrl(text);
  if (!parsed.ok) throw new CertificateFault(`x509: cannot parse URI ${quote(text)}: ${parsed.message}`);
  const { host } = parsed.value;
  if (!isDomainName(host, false)) throw new CertificateFault(`x509: cannot parse URI ${quote(text)}: invalid domain`);
  return { text: formatUrl(parsed.value), host };
}
