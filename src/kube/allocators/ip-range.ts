/**
 * A range of cluster IPs. It excludes the network address and, for IPv4, the broadcast address. The lower band is
 * reserved for addresses that users choose (KEP-3070): automatic allocation uses it only if the rest is full.
 */
import { formatIp } from '../../pki/ip.ts';
import { type IpFamily, type Network, networkAddress, parseSloppyCidr, parseSloppyIp } from '../shared/ip.ts';

const BAND_MIN = 16n;
const BAND_MAX = 256n;
const BAND_STEP = 16n;
/** The limit of random offsets. A larger range starts within its first 2^31 addresses. */
const MAX_DRAW = 1n << 31n;

export class IpRange {
  readonly cidr: string;
  readonly family: IpFamily;
  readonly #network: bigint;
  readonly #first: bigint;
  readonly #last: bigint;
  readonly #band: bigint;
  readonly #length: number;

  private constructor(cidr: string, network: Network) {
    this.cidr = cidr;
    this.#length = network.address.length;
    this.family = this.#length === 4 ? 'IPv4' : 'IPv6';
    const size = 1n << BigInt(this.#length * 8 - network.bits);
    this.#network = toNumber(networkAddress(network));
    this.#first = this.#network + 1n;
    this.#last = this.#network + size - (this.family === 'IPv4' ? 2n : 1n);
    const band = size / BAND_STEP;
    this.#band = size <= BAND_MIN ? 0n : band < BAND_MIN ? BAND_MIN : band > BAND_MAX ? BAND_MAX : band;
  }

  /** Returns undefined for an invalid CIDR, and for an IPv6 range with a prefix shorter than /64. */
  static parse(cidr: string): IpRange | undefined {
    const network = parseSloppyCidr(cidr);
    if (network === undefined || (network.address.length === 16 && network.bits < 64)) return undefined;
    return new IpRange(cidr, network);
  }

  /** The first usable address, which the Service `default/kubernetes` gets. */
  get first(): string {
    return this.#text(this.#first);
  }

  /** The network address, which dry runs answer in place of an allocated address. */
  get network(): string {
    return this.#text(this.#network);
  }

  /** Returns true if a Service may have this address. */
  contains(ip: string): boolean {
    const bytes = parseSloppyIp(ip);
    if (bytes === undefined || bytes.length !== this.#length) return false;
    const number = toNumber(bytes);
    return number >= this.#first && number <= this.#last;
  }

  /**
   * Yields every address once: the upper band from a random one on, then the lower band. `random(n)` returns less than
   * n.
   */
  *candidates(random: (below: number) => number): Generator<string> {
    const border = this.#first + this.#band;
    yield* this.#from(border, this.#last, random);
    yield* this.#from(this.#first, border - 1n, random);
  }

  *#from(first: bigint, last: bigint, random: (below: number) => number): Generator<string> {
    const size = last - first + 1n;
    if (size <= 0n) return;
    const start = BigInt(random(Number(size < MAX_DRAW ? size : MAX_DRAW)));
    for (let i = 0n; i < size; i++) yield this.#text(first + ((start + i) % size));
  }

  #text(number: bigint): string {
    const bytes = new Uint8Array(this.#length);
    for (let i = this.#length - 1, rest = number; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
    return formatIp(bytes) as string;
  }
}

function toNumber(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}
