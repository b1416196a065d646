/** The range of node ports. Its lower band is reserved for ports that users choose (KEP-3668), as with cluster IPs. */

export interface PortRange {
  readonly first: number;
  readonly size: number;
}

const BAND_MIN = 16;
const BAND_MAX = 128;
const BAND_STEP = 32;

/** Formats a range as `30000-32767`. */
export function formatPortRange({ first, size }: PortRange): string {
  return `${first}-${first + size - 1}`;
}

/** Parses `30000-32767`, `30000+2767` or one port. Returns undefined for any other text. */
export function parsePortRange(text: string): PortRange | undefined {
  const match = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const first = Number(match[1]);
  const second = Number(match[3] ?? 0);
  const last = match[2] === '-' ? second : first + second;
  return last < first || last > 65535 ? undefined : { first, size: last - first + 1 };
}

export function portRangeContains({ first, size }: PortRange, port: number): boolean {
  return port >= first && port < first + size;
}

/**
 * Yields every port once: the upper band from a random port on, then the lower band. `random(n)` returns less than n.
 */
export function* candidatePorts({ first, size }: PortRange, random: (below: number) => number): Generator<number> {
  const band = size <= BAND_MIN ? 0 : Math.min(Math.max(Math.floor(size / BAND_STEP), BAND_MIN), BAND_MAX);
  yield* portsFrom(first + band, size - band, random);
  yield* portsFrom(first, band, random);
}

function* portsFrom(first: number, size: number, random: (below: number) => number): Generator<number> {
  if (size <= 0) return;
  const start = random(size);
  for (let i = 0; i < size; i++) yield first + ((start + i) % size);
}
