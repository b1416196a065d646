/**
 * Parsing and validation of IP addresses and CIDRs. Fields that are older than KEP-4858 ("legacy") accept every
 * unambiguous form of an address; newer fields accept only the canonical form.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { formatIp, parseIp } from '../../pki/ip.ts';

export type IpFamily = 'IPv4' | 'IPv6';

export interface Network {
  /** 4 or 16 bytes. An IPv4-mapped IPv6 address has 4. */
  readonly address: Uint8Array;
  /** The prefix length, counted in bits of `address`. */
  readonly bits: number;
}

const NONE: ReadonlySet<string> = new Set();
const NOT_AN_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NOT_A_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Like `parseIp`, but the parts of an IPv4 address may have leading zeros; they are ignored. */
export function parseSloppyIp(text: string): Uint8Array | undefined {
  return parseIp(text) ?? (text.includes('.') ? parseIp(withoutLeadingZeros(text)) : undefined);
}

/** Undefined for malformed text. An IPv4-mapped IPv6 address is IPv4. */
export function ipFamily(text: string): IpFamily | undefined {
  const bytes = parseSloppyIp(text);
  if (bytes === undefined) return undefined;
  return bytes.length === 4 ? 'IPv4' : 'IPv6';
}

export function isIpv6(text: string): boolean {
  return ipFamily(text) === 'IPv6';
}

/** Parses `10.0.0.0/24`; leading zeros as in `parseSloppyIp`. Undefined for malformed text. */
export function parseSloppyCidr(text: string): Network | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const [ip, length] = [text.slice(0, slash), text.slice(slash + 1)];
  const address = parseSloppyIp(ip);
  if (address === undefined || !/^\d{1,6}$/.test(length)) return undefined;
  const bits = Number(length);
  if (bits > (ip.includes(':') ? 128 : 32)) return undefined;
  return { address, bits: address.length === 4 && ip.includes(':') ? Math.max(bits - 96, 0) : bits };
}

/** The address with all bits after the prefix cleared. */
export function networkAddress({ address, bits }: Network): Uint8Array {
  return address.map((byte, i) => {
    const kept = Math.min(Math.max(bits - 8 * i, 0), 8);
    return byte & (0xff << (8 - kept)) & 0xff;
  });
}

export function networkContains(network: Network, address: Uint8Array): boolean {
  if (network.address.length !== address.length) return false;
  const masked = networkAddress({ address, bits: network.bits });
  return networkAddress(network).every((byte, i) => byte === masked[i]);
}

/** The canonical form. */
export function formatNetwork(network: Network): string {
  return `${formatIp(networkAddress(network))}/${network.bits}`;
}

/** Validates a legacy field. Values in `accepted`, usually those of the stored object, are valid. */
export function validateLegacyIp(value: string, path: FieldPath, accepted: ReadonlySet<string> = NONE): FieldIssue[] {
  if (accepted.has(value)) return [];
  const bytes = parseSloppyIp(value);
  if (bytes === undefined) return [invalid(path, value, NOT_AN_IP)];
  if (parseIp(value) === undefined) return [invalid(path, value, 'must not have leading 0s')];
  if (isMapped(value, bytes)) return [invalid(path, value, 'must not be an IPv4-mapped IPv6 address')];
  return [];
}

/** Validates a newer field: only the canonical form is valid. */
export function validateIp(value: string, path: FieldPath): FieldIssue[] {
  const issues = validateLegacyIp(value, path);
  if (issues.length > 0) return issues;
  const canonical = formatIp(parseIp(value) as Uint8Array) as string;
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

/** Validates a legacy field. Values in `accepted`, usually those of the stored object, are valid. */
export function validateLegacyCidr(value: string, path: FieldPath, accepted: ReadonlySet<string> = NONE): FieldIssue[] {
  if (accepted.has(value)) return [];
  const network = parseSloppyCidr(value);
  if (network === undefined) return [invalid(path, value, NOT_A_CIDR)];
  if (!isExactCidr(value)) return [invalid(path, value, 'must not have leading 0s in IP or prefix length')];
  if (isMapped(value, network.address)) return [invalid(path, value, 'must not have an IPv4-mapped IPv6 address')];
  if (!isMasked(network)) return [invalid(path, value, 'must not have bits set beyond the prefix length')];
  return [];
}

/** Validates a newer field: only the canonical form is valid. */
export function validateCidr(value: string, path: FieldPath): FieldIssue[] {
  const issues = validateLegacyCidr(value, path);
  if (issues.length > 0) return issues;
  const canonical = formatNetwork(parseSloppyCidr(value) as Network);
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

/** Warnings about an address of a legacy field that is valid but not in canonical form. None for malformed text. */
export function ipWarnings(value: string, path: FieldPath): readonly string[] {
  const bytes = parseSloppyIp(value);
  if (bytes === undefined) return [];
  const canonical = formatIp(bytes) as string;
  if (parseIp(value) === undefined || isMapped(value, bytes))
    return [`${path}: non-standard IP address ${quote(value)} is invalid: use ${quote(canonical)}`];
  if (bytes.length === 16 && canonical !== value)
    return [`${path}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`];
  return [];
}

/** Warnings about a CIDR of a legacy field that is valid but not in canonical form. None for malformed text. */
export function cidrWarnings(value: string, path: FieldPath): readonly string[] {
  const network = parseSloppyCidr(value);
  if (network === undefined) return [];
  const warnings: string[] = [];
  const canonical = formatNetwork(network);
  if (!isMasked(network)) {
    const single = `${formatIp(network.address)}/${network.address.length * 8}`;
    warnings.push(
      `${path}: CIDR value ${quote(value)} is ambiguous in this context (should be ${quote(canonical)} or ${quote(single)}?)`,
    );
  }
  if (!isExactCidr(value) || isMapped(value, network.address))
    warnings.push(`${path}: non-standard CIDR value ${quote(value)} is invalid: use ${quote(canonical)}`);
  if (warnings.length === 0 && network.address.length === 16 && canonical !== value)
    warnings.push(
      `${path}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`,
    );
  return warnings;
}

/** Reports unspecified, loopback, link-local and link-local multicast addresses: an endpoint cannot have one. */
export function validateNonSpecialIp(value: string, path: FieldPath): FieldIssue[] {
  const bytes = parseSloppyIp(value);
  if (bytes === undefined) return [invalid(path, value, 'must be a valid IP address')];
  const issues: FieldIssue[] = [];
  const complain = (detail: string): unknown => issues.push(invalid(path, value, detail));
  const [a = 0, b = 0] = bytes;
  const isV4 = bytes.length === 4;
  if (bytes.every((byte) => byte === 0)) complain(`may not be unspecified (${value})`);
  if (isV4 ? a === 127 : bytes.every((byte, i) => byte === (i === 15 ? 1 : 0)))
    complain('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (isV4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80)
    complain('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  if (isV4 ? a === 224 && b === 0 && bytes[2] === 0 : a === 0xff && (b & 0x0f) === 2)
    complain('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  return issues;
}

function withoutLeadingZeros(text: string): string {
  const from = text.lastIndexOf(':') + 1;
  return text.slice(0, from) + text.slice(from).replace(/(^|\.)0+(?=\d)/g, '$1');
}

function isMapped(text: string, bytes: Uint8Array): boolean {
  return bytes.length === 4 && text.includes(':');
}

/** Whether neither the address nor the prefix length has leading zeros. */
function isExactCidr(text: string): boolean {
  const slash = text.indexOf('/');
  return parseIp(text.slice(0, slash)) !== undefined && /^(0|[1-9]\d*)$/.test(text.slice(slash + 1));
}

function isMasked(network: Network): boolean {
  const masked = networkAddress(network);
  return network.address.every((byte, i) => byte === masked[i]);
}
