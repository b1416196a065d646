import { describe, expect, it } from 'vitest';
import { formatIssueBody } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import {
  cidrWarnings,
  formatNetwork,
  ipFamily,
  ipWarnings,
  type Network,
  networkContains,
  parseSloppyCidr,
  parseSloppyIp,
  validateCidr,
  validateIp,
  validateLegacyCidr,
  validateLegacyIp,
} from './ip.ts';

const PATH = FieldPath.of('spec', 'ip');

describe('IP addresses', () => {
  it.each([
    ['10.9.8.7', ''],
    ['2001:db8::FFFF', ''],
    ['010.9.8.7', 'Invalid value: "010.9.8.7": must not have leading 0s'],
    ['::ffff:1.2.3.4', 'Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address'],
    ['1.2.3', 'Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ['', 'Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ])('in legacy fields: %j', (value, text) => {
    expect(validateLegacyIp(value, PATH).map(formatIssueBody).join()).toBe(text);
    expect(validateLegacyIp(value, PATH, new Set([value]))).toEqual([]);
  });

  it('must be canonical in newer fields', () => {
    expect(validateIp('2001:db8::FFFF', PATH).map(formatIssueBody)).toEqual([
      'Invalid value: "2001:db8::FFFF": must be in canonical form ("2001:db8::ffff")',
    ]);
    expect(validateIp('2001:db8::ffff', PATH)).toEqual([]);
  });

  it('have a family in every form', () => {
    expect(['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4', 'fe80::1', 'x'].map(ipFamily)).toEqual([
      'IPv4',
      'IPv4',
      'IPv4',
      'IPv6',
      undefined,
    ]);
  });

  it('have warnings if not canonical', () => {
    expect(ipWarnings('010.0.0.1', PATH)).toEqual([
      'spec.ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
    ]);
    expect(ipWarnings('FE80::1', PATH)).toEqual([
      'spec.ip: IPv6 address "FE80::1" should be in RFC 5952 canonical format ("fe80::1")',
    ]);
    expect(ipWarnings('10.0.0.1', PATH)).toEqual([]);
  });
});

describe('CIDRs', () => {
  it.each([
    ['10.0.0.0/8', ''],
    ['10.0.0.1/8', 'Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length'],
    ['10.0.0.0/08', 'Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length'],
    ['::ffff:10.0.0.0/120', 'Invalid value: "::ffff:10.0.0.0/120": must not have an IPv4-mapped IPv6 address'],
    ['10.0.0.0/33', 'Invalid value: "10.0.0.0/33": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ])('in legacy fields: %j', (value, text) => {
    expect(validateLegacyCidr(value, PATH).map(formatIssueBody).join()).toBe(text);
  });

  it('must be canonical in newer fields', () => {
    expect(validateCidr('FD00::/64', PATH).map(formatIssueBody)).toEqual([
      'Invalid value: "FD00::/64": must be in canonical form ("fd00::/64")',
    ]);
  });

  it('contain the addresses of the same family with the same prefix', () => {
    const network = parseSloppyCidr('10.1.16.0/20') as Network;
    const contains = (ip: string) => networkContains(network, parseSloppyIp(ip) as Uint8Array);
    expect(['10.1.16.0', '10.1.31.255', '10.1.32.0', '10.1.15.255', '::a01:1000'].map(contains)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(formatNetwork(parseSloppyCidr('10.1.17.9/20') as Network)).toBe('10.1.16.0/20');
  });

  it('have warnings if not canonical', () => {
    expect(cidrWarnings('10.1.17.9/20', PATH)).toEqual([
      'spec.ip: CIDR value "10.1.17.9/20" is ambiguous in this context (should be "10.1.16.0/20" or "10.1.17.9/32"?)',
    ]);
  });
});
