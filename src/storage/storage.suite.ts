/**
 * The conformance suite of `storage.ts`, as data. Every driver runs all of it: its test makes one `it` of each case
 * with `runSuiteCase` and skips, with the reason, cases that need a feature that the driver does not have.
 */
import { compactCases } from './suite/compact.ts';
import type { SuiteCase } from './suite/context.ts';
import { createCases } from './suite/create.ts';
import { deleteCases } from './suite/delete.ts';
import { getCases } from './suite/get.ts';
import { limitCases } from './suite/limits.ts';
import { listCases } from './suite/list.ts';
import { snapshotCases } from './suite/snapshot.ts';
import { stopCases } from './suite/stop.ts';
import { transactCases } from './suite/transact.ts';
import { ttlCases } from './suite/ttl.ts';
import { watchCases } from './suite/watch.ts';
import { watchLoadCases } from './suite/watch-load.ts';
import { writeCases } from './suite/write.ts';

function group(subject: string, cases: readonly SuiteCase[]): SuiteCase[] {
  return cases.map((each) => ({ ...each, name: `${subject}: ${each.name}` }));
}

export const storageSuite: readonly SuiteCase[] = [
  ...group('create', createCases),
  ...group('get', getCases),
  ...group('list', listCases),
  ...group('compare-and-write', writeCases),
  ...group('delete', deleteCases),
  ...group('transaction', transactCases),
  ...group('watch', watchCases),
  ...group('watch under load', watchLoadCases),
  ...group('compaction', compactCases),
  ...group('snapshot and fork', snapshotCases),
  ...group('time to live', ttlCases),
  ...group('limits', limitCases),
  ...group('stop', stopCases),
];
