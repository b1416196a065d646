/**
 * The library `kubernetes.net.ip`: IP addresses.
 *
 * Invariant: a CelIp has no zone and is not an IPv4-mapped IPv6 address.
 */

import {
  formatAddress,
  isMappedV4,
  type NetAddress,
  type Parsed,
  parseAddress,
} from '../../apimachinery/go/go-netip.ts';
import { quote } from '../../apimachinery/go-format.ts';
import type { Library } from '../library.ts';
import { BOOL, INT, type OpaqueType, opaqueType, STRING, typeOf } from '../types.ts';
import { CelError, CelOpaque, CelTypeValue, type Value } from '../values.ts';
import { NOMINAL, ONE_WALK, TWO_WALKS } from './costs.ts';
import { declare, member, overload } from './declare.ts';

export const IP: OpaqueType = opaqueType('net.IP');

export class CelIp extends CelOpaque {
  readonly type: OpaqueType = IP;
  readonly address: NetAddress;

  constructor(address: NetAddress) {
    super();
    this.address = address;
  }

  /** The number of bytes. */
  override get size(): number {
    return this.address.bytes.length;
  }

  equals(other: CelOpaque): boolean {
    if (!(other instanceof CelIp)) throw new CelError('no such overload');
    return formatAddress(this.address) === formatAddress(other.address);
  }
}

/** Parses an address, or returns the reason why expressions cannot use it. */
export function readAddress(text: string): Parsed<NetAddress> {
  const parsed = parseAddress(text);
  if (!parsed.ok)
    return {
      ok: false,
      message: `IP Address ${quote(text)} parse error during conversion from string: ${parsed.message}`,
    };
  if (parsed.value.zone !== '')
    return { ok: false, message: `IP address ${quote(text)} with zone value is not allowed` };
  if (isMappedV4(parsed.value)) return { ok: false, message: `IPv4-mapped IPv6 address ${quote(text)} is not allowed` };
  return parsed;
}

function toAddress(text: Value): NetAddress {
  const parsed = readAddress(text as string);
  if (!parsed.ok) throw new CelError(parsed.message);
  return parsed.value;
}

function test(id: string, holds: (bytes: readonly number[]) => boolean): ReturnType<typeof member> {
  return member(id, [IP], BOOL, (ip) => holds((ip as CelIp).address.bytes), NOMINAL);
}

function isUnspecified(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === 0);
}

function isLoopback(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes[15] === 1 && bytes.slice(0, 15).every((byte) => byte === 0);
}

function isLinkLocalUnicast([first = 0, second = 0, ...rest]: readonly number[]): boolean {
  return rest.length === 2 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
}

function isMulticast([first = 0, , ...rest]: readonly number[]): boolean {
  return rest.length === 2 ? (first & 0xf0) === 0xe0 : first === 0xff;
}

function isLinkLocalMulticast([first = 0, second = 0, third = 0, ...rest]: readonly number[]): boolean {
  if (rest.length === 1) return first === 224 && second === 0 && third === 0;
  return first === 0xff && (second & 0x0f) === 0x02;
}

function isBroadcast(bytes: readonly number[]): boolean {
  return bytes.length === 4 && bytes.every((byte) => byte === 255);
}

function isGlobalUnicast(bytes: readonly number[]): boolean {
  return ![isUnspecified, isBroadcast, isLoopback, isMulticast, isLinkLocalUnicast].some((is) => is(bytes));
}

export const IP_LIBRARY: Library = {
  name: 'kubernetes.net.ip',
  functions: [
    declare(
      'ip',
      overload('string_to_ip', [STRING], IP, (text) => new CelIp(toAddress(text)), ONE_WALK),
    ),
    declare(
      'family',
      member('ip_family', [IP], INT, (ip) => ((ip as CelIp).address.bytes.length === 4 ? 4 : 6), NOMINAL),
    ),
    declare(
      'ip.isCanonical',
      overload('ip_is_canonical', [STRING], BOOL, (text) => formatAddress(toAddress(text)) === text, TWO_WALKS),
    ),
    declare('isUnspecified', test('ip_is_unspecified', isUnspecified)),
    declare('isLoopback', test('ip_is_loopback', isLoopback)),
    declare('isLinkLocalMulticast', test('ip_is_link_local_multicast', isLinkLocalMulticast)),
    declare('isLinkLocalUnicast', test('ip_is_link_local_unicast', isLinkLocalUnicast)),
    declare('isGlobalUnicast', test('ip_is_global_unicast', isGlobalUnicast)),
    declare(
      'isIP',
      overload('is_ip', [STRING], BOOL, (text) => readAddress(text as string).ok, ONE_WALK),
    ),
    declare(
      'string',
      overload('ip_to_string', [IP], STRING, (ip) => formatAddress((ip as CelIp).address)),
    ),
  ],
  constants: [{ name: 'net.IP', type: typeOf(IP), value: new CelTypeValue(IP) }],
};
