/**
 * Checks that a certificate is valid for a host, as Go's VerifyHostname does: only alternative names count, and an IP
 * address is compared with IP addresses only. The common name is ignored.
 */
import { equalBytes } from '../../base/bytes.ts';
import type { Certificate } from '../certificate.ts';
import { formatIp, parseIp, plainIp } from '../ip.ts';
import { lowerAscii } from './domain-name.ts';

/** From this number of names on, messages contain their number only. */
const MANY_NAMES = 100;

/**
 * `host` is a name, or an IP address, which may be in brackets. Returns undefined if it is valid, else Go's message.
 */
export function hostnameProblem(certificate: Certificate, host: string): string | undefined {
  const bare = host.length >= 3 && host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  const ip = parseIp(bare);
  const { ipAddresses = [], dnsNames = [] } = certificate.extensions.alternativeNames ?? {};
  if (ip !== undefined) {
    const isValid = ipAddresses.some((candidate) => equalBytes(plainIp(candidate), ip));
    return isValid ? undefined : mismatch(certificate, bare);
  }
  const isName = isHostname(host.replace(/\.$/, ''));
  const labels = labelsOf(host);
  const isValid = dnsNames.some((name) =>
    // Wildcards count only in valid host names. Other names must be equal.
    isName && isHostname(name.replace(/^\*(?=\.)/, 'x')) ? matches(name, labels) : areEqual(name, host),
  );
  return isValid ? undefined : mismatch(certificate, host);
}

function mismatch({ commonName, extensions }: Certificate, host: string): string {
  const names = extensions.alternativeNames;
  if (names === undefined && matches(commonName, labelsOf(host)))
    return 'x509: certificate relies on legacy Common Name field, use SANs instead';
  const { ipAddresses = [], dnsNames = [] } = names ?? {};
  let valid: string;
  if (parseIp(host) !== undefined) {
    if (ipAddresses.length === 0)
      return `x509: cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
    if (ipAddresses.length >= MANY_NAMES)
      return `x509: certificate is valid for ${ipAddresses.length} IP SANs, but none matched ${host}`;
    valid = ipAddresses.map((ip) => formatIp(plainIp(ip))).join(', ');
  } else {
    if (dnsNames.length >= MANY_NAMES)
      return `x509: certificate is valid for ${dnsNames.length} names, but none matched ${host}`;
    valid = dnsNames.join(', ');
  }
  return valid === ''
    ? `x509: certificate is not valid for any names, but wanted to match ${host}`
    : `x509: certificate is valid for ${valid}, not ${host}`;
}

/** Underscores are not allowed in host names, but occur in practice. */
function isHostname(name: string): boolean {
  return /^[a-zA-Z0-9_][a-zA-Z0-9_-]*(?:\.[a-zA-Z0-9_][a-zA-Z0-9_-]*)*$/.test(name);
}

function labelsOf(host: string): readonly string[] {
  return lowerAscii(host.replace(/\.$/, '')).split('.');
}

/** A `*` matches exactly one label, the first. */
function matches(pattern: string, labels: readonly string[]): boolean {
  if (pattern === '') return false;
  const parts = lowerAscii(pattern).split('.');
  return parts.length === labels.length && parts.every((part, i) => (i === 0 && part === '*') || part === labels[i]);
}

function areEqual(a: string, b: string): boolean {
  if (a === '' || a === '.' || b === '' || b === '.') return false;
  return lowerAscii(a) === lowerAscii(b);
}
