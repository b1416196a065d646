/** Cases of the etcd driver on clusters with faults. */
import type { Case } from '../rows/cases.ts';

export function faultCases(_etcd: string, _full: boolean): readonly Case[] {
  return [];
}
