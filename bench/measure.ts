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
 * How often the work was done per second of this process's CPU time (its helper threads, such as the garbage collector's, included), over at least
 * `ms` milliseconds of it: a busy machine then slows the run and not the figure.
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
 * Rates of both sides and the median of their ratios. The two runs of a round are neighbours in time and take turns at being first, so that their ratio
 * feels little of what else the machine does; two rounds warm up and do not count.
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
