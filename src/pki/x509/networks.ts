/** Networks of name constraints: which of them contains an address, as Go's x509 finds it. */
import { formatIp, plainIp } from '../ip.ts';
import type { Network } from './name-constraints.ts';

/**
 * A set of networks of one address family, sorted by address, without those that lie within the one before.
 * Invariant: a lookup compares an address with one network only, the last one that does not start after it. This is
 * Go's result also for constraints whose address has bits beyond the mask.
 */
export class NetworkSet {
  readonly #sorted: readonly Network[];

  constructor(networks: readonly Network[]) {
    const sorted: Network[] = [];
    for (const network of [...networks].sort(compareNetworks)) {
      const before = sorted.at(-1);
      if (before === undefined || !isWithin(network, before)) sorted.push(network);
    }
    this.#sorted = sorted;
  }

  find(address: Uint8Array): Network | undefined {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareBytes((this.#sorted[middle] as Network).address, address) < 0) low = middle + 1;
      else high = middle;
    }
    const found = this.#sorted[low];
    if (found !== undefined && compareBytes(found.address, address) === 0) return found;
    const nearest = this.#sorted[Math.max(0, low - 1)];
    return nearest !== undefined && contains(nearest, address) ? nearest : undefined;
  }
}

function compareNetworks(a: Network, b: Network): number {
  return compareBytes(a.address, b.address) || compareBytes(a.mask, b.mask);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Returns whether the first and the last address of `inner` belong to `outer`. */
function isWithin(inner: Network, outer: Network): boolean {
  const last = inner.address.map((byte, i) => byte | (~(inner.mask[i] as number) & 0xff));
  return contains(outer, inner.address) && contains(outer, last);
}

/** Compares IPv4-mapped addresses and networks as IPv4, as Go's net.IPNet does. */
function contains(network: Network, address: Uint8Array): boolean {
  const { address: base, mask } = plainNetwork(network);
  const plain = plainIp(address);
  return (
    plain.length === base.length && plain.every((byte, i) => ((byte ^ (base[i] as number)) & (mask[i] as number)) === 0)
  );
}

function plainNetwork({ address, mask }: Network): Network {
  const plain = plainIp(address);
  return { address: plain, mask: mask.subarray(mask.length - plain.length) };
}

/** Formats a network as Go does: `10.0.0.0/8`. Bits beyond the mask are shown. */
export function formatNetwork(network: Network): string {
  const { address, mask } = plainNetwork(network);
  let ones = 0;
  for (const byte of mask) ones += byte.toString(2).replaceAll('0', '').length;
  return `${formatIp(address)}/${ones}`;
}
