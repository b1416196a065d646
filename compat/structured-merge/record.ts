/**
 * Records the calls that structured-merge-diff's own tests make. A copy of the module gets wrappers around its exported
 * functions, its tests run, and every distinct call is written down with its result. Nothing of it is kept in this
 * repository.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../../src/base/json-read.ts';
import type { JsonObject } from '../../src/base/json-value.ts';

/** The version that k8s.io/apimachinery of the reference requires. */
const MODULE = 'sigs.k8s.io/structured-merge-diff/v6@v6.3.3';

/**
 * Functions that a wrapper of ours replaces: file, declaration, and the name under which the original goes on; and one
 * loop in random order.
 */
const REPLACED: readonly (readonly [file: string, text: string, replacement: string])[] = [
  [
    'merge/update.go',
    'for version, managed := range managedAtVersion {',
    'for _, version := range sortedVersions(managedAtVersion) {\n\t\tmanaged := managedAtVersion[version]',
  ],
  ['fieldpath/element.go', 'func (e PathElement) Compare(', 'func (e PathElement) compare('],
  ['fieldpath/set.go', 'func (s *Set) Union(', 'func (s *Set) union('],
  ['fieldpath/set.go', 'func (s *Set) Intersection(', 'func (s *Set) intersection('],
  ['fieldpath/set.go', 'func (s *Set) Difference(', 'func (s *Set) difference('],
  ['fieldpath/set.go', 'func (s *Set) RecursiveDifference(', 'func (s *Set) recursiveDifference('],
  ['fieldpath/set.go', 'func (s *Set) Leaves(', 'func (s *Set) leaves('],
  ['fieldpath/set.go', 'func (s *Set) Equals(', 'func (s *Set) equals('],
  ['fieldpath/set.go', 'func (s *Set) Has(', 'func (s *Set) has('],
  ['fieldpath/set.go', 'func (s *Set) String(', 'func (s *Set) string('],
  ['fieldpath/set.go', 'func (s *Set) EnsureNamedFieldsAreMembers(', 'func (s *Set) ensureNamedFieldsAreMembers('],
  ['fieldpath/set.go', 'func (s *Set) FilterIncludeMatches(', 'func (s *Set) filterIncludeMatches('],
  ['fieldpath/serialize.go', 'func (s *Set) FromJSON(', 'func (s *Set) fromJSON('],
  ['typed/typed.go', 'func (tv TypedValue) Validate(', 'func (tv TypedValue) validate('],
  ['typed/typed.go', 'func (tv TypedValue) ToFieldSet(', 'func (tv TypedValue) fieldSet('],
  ['typed/typed.go', 'func (tv TypedValue) Merge(', 'func (tv TypedValue) mergeWith('],
  ['typed/typed.go', 'func (tv TypedValue) Compare(', 'func (tv TypedValue) compareWith('],
  ['typed/typed.go', 'func (tv TypedValue) RemoveItems(', 'func (tv TypedValue) removeItems('],
  ['typed/typed.go', 'func (tv TypedValue) ExtractItems(', 'func (tv TypedValue) extractItems('],
  ['typed/reconcile_schema.go', 'func ReconcileFieldSetWithSchema(', 'func reconcileFieldSetWithSchema('],
  ['merge/update.go', 'func (s *Updater) Update(', 'func (s *Updater) updateObject('],
  ['merge/update.go', 'func (s *Updater) Apply(', 'func (s *Updater) applyObject('],
];

const WRAPPERS: readonly (readonly [source: string, target: string])[] = [
  ['record.go.txt', 'internal/record/record.go'],
  ['fieldpath.go.txt', 'fieldpath/recorded.go'],
  ['typed.go.txt', 'typed/recorded.go'],
  ['merge.go.txt', 'merge/recorded.go'],
];

export interface Recording {
  /** The test binary that made the calls: `merge.test`. */
  readonly suite: string;
  readonly lines: readonly JsonObject[];
}

export function record(root: string): Recording[] {
  const folder = join(root, '.cache', 'structured-merge');
  const source = join(folder, 'source');
  const output = join(folder, 'calls');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  copyModule(folder, source);
  for (const [file, text, replacement] of REPLACED) {
    const path = join(source, file);
    const [before, after, more] = readFileSync(path, 'utf8').split(text);
    if (after === undefined || more !== undefined) throw new Error(`${MODULE} ${file} does not have one ${text}`);
    writeFileSync(path, `${before}${replacement}${after}`);
  }
  for (const [from, to] of WRAPPERS) {
    mkdirSync(join(source, to, '..'), { recursive: true });
    cpSync(join(root, 'compat', 'structured-merge', 'recorder', from), join(source, to));
  }
  execFileSync('go', ['test', '-count=1', './fieldpath', './typed', './merge', './internal/...'], {
    cwd: source,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, RECORD_FOLDER: output, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false -mod=mod' },
  });
  return readdirSync(output)
    .sort()
    .map((name) => ({ suite: name.slice(0, name.lastIndexOf('-')), lines: readLines(join(output, name)) }));
}

function copyModule(folder: string, target: string): void {
  writeFileSync(join(folder, 'go.mod'), 'module recorder\n');
  const text = execFileSync('go', ['mod', 'download', '-json', MODULE], { cwd: folder, encoding: 'utf8' });
  const { Dir } = JSON.parse(text) as { Dir: string };
  cpSync(Dir, target, { recursive: true });
  makeWritable(target);
}

/** Files of the module cache are read-only. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeWritable(path);
    else chmodSync(path, 0o644);
  }
}

function readLines(path: string): JsonObject[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const read = readJson(line);
      if (!read.ok) throw new Error(`${path}: ${read.error.message}`);
      return read.value as JsonObject;
    });
}
