/**
 * Reads and writes the golden objects of the Go modules in every form and compares the bytes. Compares the schema of
 * apply.
 *
 * usage: main.ts [--kind NAME] Fails on any difference, and on a kind of this release that our tables do not have.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { StructView } from '../../src/apimachinery/type-view.ts';
import { kinds } from '../../src/kinds/facts/all.ts';
import { kindView } from '../../src/kinds/views.ts';
import { ROOT } from '../peers/programs.ts';
import { type Check, checkList, checks } from './checks.ts';
import { CURRENT, type Fixture, readFixtures } from './fixtures.ts';
import { isLeftOut } from './left-out.ts';
import { compareMergeSchema } from './merge-schema.ts';

const { values } = parseArgs({ options: { kind: { type: 'string' } } });

interface Row {
  readonly kinds: Set<string>;
  objects: number;
  checks: number;
  failed: number;
}

const views = new Map<string, StructView>();
for (const [group, version, , names] of kinds)
  for (const kind of names.split(' ')) views.set(`${group}/${version}/${kind}`, kindView(group, version, kind));

const rows = new Map<string, Row>();
const misses: string[] = [];
const seen = new Set<string>();
const leftOut = new Set<string>();

function attempt(row: Row, fixture: Fixture, name: string, run: () => string | undefined): void {
  row.checks++;
  let difference: string | undefined;
  try {
    difference = run();
  } catch (error) {
    difference = (error as Error).message;
  }
  if (difference === undefined) return;
  row.failed++;
  misses.push(`${fixture.release} ${fixture.group}/${fixture.version} ${fixture.kind}, ${name}: ${difference}`);
}

const source = join(ROOT, 'scripts', 'generate-kinds');
for (const fixture of readFixtures(source)) {
  const { group, version, kind, release } = fixture;
  if (values.kind !== undefined && values.kind !== kind) continue;
  const groupVersion = group === '' ? version : `${group}/${version}`;
  const view = views.get(`${group}/${version}/${kind}`);
  if (view === undefined) {
    if (isLeftOut(group, version)) leftOut.add(groupVersion);
    else if (release === CURRENT) misses.push(`${groupVersion} ${kind}: not in the tables`);
    continue;
  }
  const row = rows.get(groupVersion) ?? { kinds: new Set(), objects: 0, checks: 0, failed: 0 };
  rows.set(groupVersion, row);
  row.kinds.add(kind);
  row.objects++;
  seen.add(`${group}/${version}/${kind}`);
  for (const check of checks) attempt(row, fixture, check.name, () => (check as Check).run(fixture, view));
  const list = views.get(`${group}/${version}/${kind}List`);
  if (release !== CURRENT || list === undefined || kind === 'APIGroup') continue;
  seen.add(`${group}/${version}/${kind}List`);
  attempt(row, fixture, 'in a list', () => checkList(fixture, list));
}

console.log('group-version                          kinds  objects  checks  failed');
const total: Row = { kinds: new Set(), objects: 0, checks: 0, failed: 0 };
for (const [name, row] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
  print(name, row.kinds.size, row);
  total.objects += row.objects;
  total.checks += row.checks;
  total.failed += row.failed;
}
print(
  'all',
  [...rows.values()].reduce((sum, row) => sum + row.kinds.size, 0),
  total,
);
function print(name: string, count: number, row: Row): void {
  const cells = [count, row.objects, row.checks, row.failed].map((cell, i) =>
    String(cell).padStart([5, 8, 7, 7][i] as number),
  );
  console.log(`${name.padEnd(37)} ${cells.join(' ')}`);
}

const unseen = [...views.keys()].filter((name) => !seen.has(name) && !name.startsWith('meta.k8s.io/'));
console.log(`\ngolden files of versions that no server has: ${[...leftOut].sort().join(' ')}`);
if (values.kind === undefined) console.log(`kinds without golden files: ${unseen.join(' ')}`);
const merge = compareMergeSchema(source);
misses.push(...merge.differences.map((difference) => `merge schema: ${difference}`));
console.log(`merge schema: ${merge.types} types, ${merge.fields} fields, ${merge.differences.length} differences`);
for (const miss of misses.slice(0, 40)) console.log(`FAIL ${miss.slice(0, 300)}`);
console.log(
  `${total.checks - total.failed} of ${total.checks} checks hold${misses.length === 0 ? '' : `, ${misses.length} misses`}`,
);
process.exitCode = misses.length === 0 && total.checks > 0 ? 0 : 1;
