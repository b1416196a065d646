/** The lines of the table: two figures, their ratio, the bar and whether it holds. */
import { median } from '../measure.ts';

export interface Bar {
  readonly name: string;
  readonly unit: string;
  /** The figures of each round. */
  readonly ours: readonly number[];
  readonly peer: readonly number[];
  /** The direction in which a figure is better. The ratio is turned so that more is better. */
  readonly better: 'more' | 'less';
  readonly atLeast?: number;
}

/** Prints the line. Returns false if its bar does not hold. */
export function printBar(bar: Bar): boolean {
  const [ours, peer] = [median(bar.ours), median(bar.peer)];
  const ratios = bar.ours.map((value, i) => (bar.better === 'more' ? value / bar.peer[i]! : bar.peer[i]! / value));
  const ratio = median(ratios);
  const holds = bar.atLeast === undefined || ratio >= bar.atLeast;
  const verdict = bar.atLeast === undefined ? '' : `   at least ${bar.atLeast}×   ${holds ? 'pass' : 'FAIL'}`;
  const spread = ratios.length < 2 ? '' : ` (${format(Math.min(...ratios))}–${format(Math.max(...ratios))})`;
  console.log(
    `${bar.name.padEnd(62)} ${format(ours).padStart(9)} / ${format(peer).padStart(9)} ${bar.unit.padEnd(9)} ${format(ratio)}×${spread}${verdict}`,
  );
  return holds;
}

export function format(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
