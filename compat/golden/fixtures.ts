/**
 * The golden files of the Go modules: one object in JSON, YAML and protobuf for each kind, of this release and of
 * earlier ones. Invariant: they are read from the module cache, in the versions that the generator of our tables uses.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of golden files in the modules. */
const MODULES = [
  { module: 'k8s.io/api', folder: 'testdata' },
  { module: 'k8s.io/apiextensions-apiserver', folder: 'pkg/apis/testdata' },
  { module: 'k8s.io/kube-aggregator', folder: 'pkg/apis/testdata' },
];

/** This release. Other folders have the name of theirs. */
export const CURRENT = 'HEAD';

export interface Forms {
  readonly json: Buffer;
  readonly yaml: Buffer;
  readonly protobuf: Buffer;
}

export interface Fixture {
  /** `HEAD`, `v1.35.0`. */
  readonly release: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly given: Forms;
  /** The result of reading and writing: the same, unless a type has changed since. */
  readonly expected: Forms;
}

/** Returns all golden files. `source` is the folder whose go.mod names the versions of the modules. */
export function readFixtures(source: string): Fixture[] {
  const go = (...args: string[]): string => execFileSync('go', args, { cwd: source, encoding: 'utf8' });
  const fixtures: Fixture[] = [];
  for (const { module, folder } of MODULES) {
    go('mod', 'download', module);
    const root = join(go('list', '-m', '-f', '{{.Dir}}', module).trim(), folder);
    if (!existsSync(root)) continue;
    const releases = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of releases) fixtures.push(...readRelease(join(root, name), name));
  }
  return fixtures;
}

function readRelease(folder: string, release: string): Fixture[] {
  const names = new Set(readdirSync(folder));
  const fixtures: Fixture[] = [];
  for (const name of names) {
    const parts = /^(.+)\.(v\w+)\.(\w+)\.json$/.exec(name);
    if (parts === null) continue;
    const [, group = '', version = '', kind = ''] = parts;
    const base = join(folder, name.slice(0, -'.json'.length));
    const given = readForms(base, '');
    if (given === undefined) throw new Error(`${base} lacks one of its forms`);
    fixtures.push({
      release,
      group: group === 'core' ? '' : group,
      version,
      kind,
      given,
      expected: { ...given, ...readForms(base, '.after_roundtrip') },
    });
  }
  return fixtures;
}

function readForms(base: string, suffix: string): Forms | undefined {
  const read = (extension: string): Buffer | undefined => {
    const path = `${base}${suffix}.${extension}`;
    return existsSync(path) ? readFileSync(path) : undefined;
  };
  const forms = { json: read('json'), yaml: read('yaml'), protobuf: read('pb') };
  if (suffix === '') return Object.values(forms).every((form) => form !== undefined) ? (forms as Forms) : undefined;
  return Object.fromEntries(Object.entries(forms).filter(([, form]) => form !== undefined)) as Partial<Forms> as Forms;
}
