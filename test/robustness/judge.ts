/**
 * The judges of a history. porcupine decides whether the operations are linearizable. Watches are compared with the
 * changes that etcd reported: each stream must have every change after its start, once and in order, up to its last
 * event or bookmark.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, requireTool } from '../../compat/peers/programs.ts';
import type { Change, History, Operation, Stream } from './history.ts';

export function judge(history: History, truth: readonly Change[]): readonly string[] {
  return [
    ...judgeLinearizability(history.operations, truth),
    ...history.streams.flatMap((stream) => judgeStream(stream, truth)),
    ...judgeReads(history.operations, truth),
  ];
}

function judgeLinearizability(operations: readonly Operation[], truth: readonly Change[]): string[] {
  requireTool('go', ['version'], 'the judge of linearizability needs Go on the PATH');
  const binary = join(ROOT, '.cache', 'linearizable');
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  execFileSync('go', ['build', '-buildvcs=false', '-o', binary, '.'], {
    cwd: join(ROOT, 'test', 'robustness', 'linearizable'),
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  const input = JSON.stringify(withKnownOutcomes(operations, truth));
  const { status, stdout } = spawnSync(binary, { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) return stdout.trim().split('\n');
  console.log(stdout.trim());
  return [];
}

/**
 * An operation without an answer ends with the history. A write of which etcd never had the value did not take place:
 * it is left out, because each one doubles the work of porcupine.
 */
function withKnownOutcomes(operations: readonly Operation[], truth: readonly Change[]): Operation[] {
  const stored = new Set(truth.map(({ value }) => value));
  const end = Math.max(0, ...operations.map((operation) => operation.return)) + 1;
  const known: Operation[] = [];
  for (const operation of operations) {
    if (operation.outcome !== 'unknown') known.push(operation);
    else if (operation.value === undefined || stored.has(operation.value)) known.push({ ...operation, return: end });
  }
  return known;
}

function judgeStream({ server, from, changes }: Stream, truth: readonly Change[]): string[] {
  const where = `a watch of server ${server} from ${from}`;
  const problems: string[] = [];
  let position = from;
  for (const { type, rv } of changes) {
    // A bookmark may repeat the revision of the last event.
    if (type === 'BOOKMARK' ? rv < position : rv <= position)
      problems.push(`${where}: ${type} at ${rv} after ${position}`);
    position = Math.max(position, rv);
  }
  const expected = truth.filter(({ rv }) => rv > from && rv <= position);
  const seen = changes.filter(({ type }) => type !== 'BOOKMARK');
  const byRevision = new Map(seen.map((change) => [change.rv, change]));
  for (const change of expected) {
    const found = byRevision.get(change.rv);
    if (found === undefined) problems.push(`${where}: lacks ${change.type} of ${change.key} at ${change.rv}`);
    else if (!isSame(found, change)) problems.push(`${where}: has ${text(found)}, etcd has ${text(change)}`);
    byRevision.delete(change.rv);
  }
  for (const change of byRevision.values()) problems.push(`${where}: ${text(change)} is not in etcd`);
  return problems;
}

function isSame(found: Change, change: Change): boolean {
  if (found.key !== change.key) return false;
  return found.type === 'DELETED' ? change.type === 'delete' : change.type === 'put' && found.value === change.value;
}

/** The value and the resourceVersion of an answer must be those of one change. */
function judgeReads(operations: readonly Operation[], truth: readonly Change[]): string[] {
  const byRevision = new Map(truth.map((change) => [change.rv, change]));
  const problems: string[] = [];
  for (const { kind, key, value, rv } of operations) {
    if (rv === 0) continue;
    const change = byRevision.get(rv);
    if (change?.key !== key || change.value !== value)
      problems.push(
        `${kind} of ${key}: ${value} at ${rv}, etcd has ${change === undefined ? 'nothing' : text(change)}`,
      );
  }
  return problems;
}

function text({ type, key, value, rv }: Change): string {
  return `${type} of ${key} (${value}) at ${rv}`;
}
