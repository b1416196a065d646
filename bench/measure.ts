/** Measuring two sides against each other. */

export interface BenchLine {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly unit: string;
  readonly ratio: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Returns how often the work runs per second of this process's CPU time, with its helper threads such as the garbage
 * collector's, over at least `ms` milliseconds of CPU time. Other load on the machine slows the run, but does not
 * change the figure.
 */
export function rate(work: () => void, ms: number): number {
  const start = process.cpuUsage();
  let times = 0;
  let passed = 0;
  do {
    for (let i = 0; i < 4; i++) work();
    times += 4;
    const { user, system } = process.cpuUsage(start);
    passed = (user + system) / 1000;
  } while (passed < ms);
  return (times * 1000) / passed;
}

/**
 * Returns the rates of both sides and the median of their ratios. The two runs of a round are close in time and take
 * turns at being first, so other load affects their ratio little. Two rounds warm up and do not count.
 */
export function compare(
  ours: () => void,
  peer: () => void,
  options: { readonly rounds: number; readonly ms: number },
): { readonly ours: number; readonly peer: number; readonly ratio: number } {
  const rates: { ours: number; peer: number }[] = [];
  for (let round = -2; round < options.rounds; round++) {
    const pair = { ours: 0, peer: 0 };
    if (round % 2 === 0) pair.ours = rate(ours, options.ms);
    pair.peer = rate(peer, options.ms);
    if (round % 2 !== 0) pair.ours = rate(ours, options.ms);
    if (round >= 0) rates.push(pair);
  }
  return {
    ours: median(rates.map((pair) => pair.ours)),
    peer: median(rates.map((pair) => pair.peer)),
    ratio: median(rates.map((pair) => pair.ours / pair.peer)),
  };
}
