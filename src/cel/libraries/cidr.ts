/**
 * The library `kubernetes.net.cidr`: networks in CIDR notation. A network keeps the bits after its prefix as they were
 * written; only `masked` clears them.
 */

import {
  formatPrefix,
  isMappedV4,
  maskPrefix,
  type NetPrefix,
  type Parsed,
  parsePrefix,
  prefixContains,
} from '../../apimachinery/go/go-netip.ts';
import { quote } from '../../apimachinery/go-format.ts';
import { addRanges, ONE, STRING_FACTOR, scaleRange } from '../cost/cost-range.ts';
import type { CallToEstimate, Library, Range } from '../library.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { BOOL, INT, type OpaqueType, opaqueType, STRING, typeOf } from '../types.ts';
import { CelError, CelOpaque, CelTypeValue, type Value } from '../values.ts';
import { NOMINAL, ONE_WALK, sizeOfArg } from './costs.ts';
import { declare, member, type OverloadCosts, overload } from './declare.ts';
import { CelIp, IP, readAddress } from './ip.ts';

export const CIDR: OpaqueType = opaqueType('net.CIDR');

export class CelCidr extends CelOpaque {
  readonly type: OpaqueType = CIDR;
  readonly prefix: NetPrefix;

  constructor(prefix: NetPrefix) {
    super();
    this.prefix = prefix;
  }

  /** The number of bytes that the prefix covers. */
  override get size(): number {
    return Math.ceil(this.prefix.bits / 8);
  }

  equals(other: CelOpaque): boolean {
    if (!(other instanceof CelCidr)) throw new CelError('no such overload');
    return formatPrefix(this.prefix) === formatPrefix(other.prefix);
  }
}

const PARSE_ERROR = 'network address parse error during conversion from string: ';

function readPrefix(text: string): Parsed<NetPrefix> {
  const parsed = parsePrefix(text);
  if (!parsed.ok) return { ok: false, message: PARSE_ERROR + parsed.message };
  if (isMappedV4(parsed.value.address))
    return { ok: false, message: `IPv4-mapped IPv6 address ${quote(text)} is not allowed` };
  return parsed;
}

function toPrefix(text: Value): NetPrefix {
  const parsed = readPrefix(text as string);
  // kube-apiserver prints the prefix of the message twice if the text does not parse.
  if (!parsed.ok) throw new CelError(PARSE_ERROR + parsed.message);
  return parsed.value;
}

function prefixOf(cidr: Value): NetPrefix {
  return (cidr as CelCidr).prefix;
}

function containsIpText(cidr: Value, text: Value): boolean {
  const address = readAddress(text as string);
  // kube-apiserver does not report the reason here.
  if (!address.ok) throw new CelError('no such overload');
  return prefixContains(prefixOf(cidr), address.value);
}

function containsPrefix(outer: NetPrefix, inner: NetPrefix): boolean {
  return outer.bits <= inner.bits && prefixContains(outer, inner.address);
}

/**
 * Two traversals of the bytes of a network, which has 4 to 16. `extra`: one more for networks. `readsText`: one
 * traversal of the text argument.
 */
function containsCosts(readsText: boolean, extra: boolean): OverloadCosts {
  return {
    runtimeCost: ([cidr, other]) => {
      const size = sizeForCost(cidr as Value);
      let cost = Math.ceil((size + size) * STRING_FACTOR);
      if (extra) cost += Math.ceil(size * STRING_FACTOR) + 1;
      return readsText ? cost + Math.ceil(sizeForCost(other as Value) * STRING_FACTOR) : cost;
    },
    estimateCost: (call: CallToEstimate) => {
      let cost: Range = scaleRange({ min: 8, max: 32 }, STRING_FACTOR);
      if (extra) cost = addRanges(addRanges(cost, scaleRange({ min: 4, max: 16 }, STRING_FACTOR)), ONE);
      return { cost: readsText ? addRanges(cost, scaleRange(sizeOfArg(call, 1), STRING_FACTOR)) : cost };
    },
  };
}

export const CIDR_LIBRARY: Library = {
  name: 'kubernetes.net.cidr',
  functions: [
    declare(
      'cidr',
      overload('string_to_cidr', [STRING], CIDR, (text) => new CelCidr(toPrefix(text)), ONE_WALK),
    ),
    declare(
      'containsIP',
      member('cidr_contains_ip_string', [CIDR, STRING], BOOL, containsIpText, containsCosts(true, false)),
      member(
        'cidr_contains_ip_ip',
        [CIDR, IP],
        BOOL,
        (cidr, ip) => prefixContains(prefixOf(cidr as Value), (ip as CelIp).address),
        containsCosts(false, false),
      ),
    ),
    declare(
      'containsCIDR',
      member(
        'cidr_contains_cidr_string',
        [CIDR, STRING],
        BOOL,
        (cidr, text) => containsPrefix(prefixOf(cidr as Value), toPrefix(text as Value)),
        containsCosts(true, true),
      ),
      member(
        'cidr_contains_cidr',
        [CIDR, CIDR],
        BOOL,
        (cidr, other) => containsPrefix(prefixOf(cidr as Value), prefixOf(other as Value)),
        containsCosts(false, true),
      ),
    ),
    declare(
      'ip',
      member('cidr_ip', [CIDR], IP, (cidr) => new CelIp(prefixOf(cidr).address), NOMINAL),
    ),
    declare(
      'prefixLength',
      member('cidr_prefix_length', [CIDR], INT, (cidr) => prefixOf(cidr).bits, NOMINAL),
    ),
    declare(
      'masked',
      member('cidr_masked', [CIDR], CIDR, (cidr) => new CelCidr(maskPrefix(prefixOf(cidr))), NOMINAL),
    ),
    declare(
      'isCIDR',
      overload('is_cidr', [STRING], BOOL, (text) => readPrefix(text as string).ok, ONE_WALK),
    ),
    declare(
      'string',
      overload('cidr_to_string', [CIDR], STRING, (cidr) => formatPrefix(prefixOf(cidr))),
    ),
  ],
  constants: [{ name: 'net.CIDR', type: typeOf(CIDR), value: new CelTypeValue(CIDR) }],
};
