import { describe, expect, it } from 'vitest';
import { IpRange } from './ip-range.ts';
import { candidatePorts } from './port-range.ts';

const first = (): number => 0;

describe('an IP range', () => {
  it('excludes the network address and, for IPv4, the broadcast address', () => {
    const range = IpRange.parse('10.0.0.0/24') as IpRange;
    expect(['10.0.0.0', '10.0.0.1', '10.0.0.254', '10.0.0.255', '10.0.1.1'].map((ip) => range.contains(ip))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    const six = IpRange.parse('fd00::/120') as IpRange;
    expect(['fd00::', 'fd00::1', 'fd00::ff'].map((ip) => six.contains(ip))).toEqual([false, true, true]);
    expect([range.first, range.network, six.first]).toEqual(['10.0.0.1', '10.0.0.0', 'fd00::1']);
  });

  it('yields every address once, the reserved band last', () => {
    const all = [...(IpRange.parse('10.0.0.0/24') as IpRange).candidates(first)];
    expect(all).toHaveLength(254);
    expect(new Set(all).size).toBe(254);
    expect(all[0]).toBe('10.0.0.17');
    expect(all.slice(-16)).toContain('10.0.0.1');
  });

  it('of sixteen addresses or fewer has no reserved band', () => {
    expect([...(IpRange.parse('10.0.0.0/30') as IpRange).candidates(first)]).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('is not parsed from an invalid CIDR or from an IPv6 range that is too large', () => {
    expect(['10.0.0.0', 'x/8', 'fd00::/48'].map((cidr) => IpRange.parse(cidr))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a port range', () => {
  it('yields every port once, the reserved band last', () => {
    const all = [...candidatePorts({ first: 30000, size: 2768 }, first)];
    expect(new Set(all).size).toBe(2768);
    expect(all[0]).toBe(30086);
    expect(all.at(-1)).toBe(30085);
  });
});
