import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { CRON_TAB } from '../scaffold/scaffold.fixtures.ts';
import { runCommand } from './program.ts';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns what the compiler prints about the types and a program that uses them. */
function compile(folder: string, moduleResolution: string, paths: Readonly<Record<string, string[]>> = {}): string {
  const options = {
    compilerOptions: {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      verbatimModuleSyntax: true,
      isolatedModules: true,
      noUnusedLocals: true,
      module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
      moduleResolution,
      target: 'es2023',
      types: [],
      paths,
      allowImportingTsExtensions: true,
    },
    include: ['**/*.ts'],
  };
  const file = join(folder, `tsconfig.${moduleResolution}.json`);
  writeFileSync(file, JSON.stringify(options));
  try {
    return execFileSync(process.execPath, [TSC, '-p', file], { cwd: folder, encoding: 'utf8' });
  } catch (caught) {
    return String((caught as { stdout?: string }).stdout);
  }
}

it('writes types that compile under strict options, with either module resolution', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-types-'));
  try {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'crontabs.yaml'), CRON_TAB);
    expect(await runCommand(['crd', 'types', join(folder, 'crontabs.yaml'), '--out', folder])).toBe(0);
    await writeFile(
      join(folder, 'use.ts'),
      `import type { CronTab, CronTabList } from './stable.example.com/v1.js';
export const tab: CronTab = {
  apiVersion: 'stable.example.com/v1',
  kind: 'CronTab',
  metadata: { name: 'a', labels: { b: 'c' } },
  spec: { cronSpec: '*', image: 'a', ports: [{ port: 'http', 'my-name': null }, { port: 80 }], extra: { any: [1] } },
};
export function nameOf(object: CronTab | CronTabList): string {
  return object.kind === 'CronTab' ? (object.metadata.name ?? '') : String(object.items.length);
}
// @ts-expect-error a required field is missing
export const bad: CronTab['spec'] = { replicas: 1 };
`,
    );
    expect(compile(folder, 'nodenext')).toBe('');
    expect(compile(folder, 'bundler')).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('writes tokens of kinds that the client accepts, with types that it reads and writes', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-types-'));
  try {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'crontabs.yaml'), CRON_TAB);
    expect(await runCommand(['crd', 'types', join(folder, 'crontabs.yaml'), '--out', folder, '--kinds'])).toBe(0);
    await writeFile(
      join(folder, 'use.ts'),
      `import { type Client, draft } from 'keelson/client';
import { CronTab } from './stable.example.com/v1.js';
export async function double(client: Client): Promise<CronTab> {
  const tabs = client.api(CronTab, 'default');
  const made = await tabs.create({ metadata: { name: 'a' }, spec: { cronSpec: '*' } });
  const next = draft(made);
  if (next.spec !== undefined) next.spec.replicas = 2 * (made.spec?.replicas ?? 1);
  await tabs.apply({ metadata: { name: 'a' }, spec: { image: 'b' } }, { fieldManager: 'me' });
  const kind: 'CronTab' = made.kind;
  // @ts-expect-error a required field is missing
  await tabs.create({ metadata: { name: kind }, spec: { replicas: 1 } });
  // @ts-expect-error what a server returned is readonly
  made.spec = {};
  // @ts-expect-error the kind is namespaced
  client.api(CronTab);
  return draft(await tabs.update(next));
}
`,
    );
    const source = (path: string): string[] => [fileURLToPath(new URL(`../${path}`, import.meta.url))];
    const paths = {
      'keelson/client': source('client/index.ts'),
      'keelson/kinds': source('kinds/index.ts'),
      'keelson/kinds/*': source('kinds/api/*.ts'),
    };
    // The sources of the package need the types of Node, which the folder does not have.
    const complaints = compile(folder, 'nodenext', paths).split('\n');
    expect(complaints.filter((line) => !line.startsWith('..'))).toEqual(['']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('refuses two sources of metadata', async () => {
  const error = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  expect(await runCommand(['crd', 'types', 'x.yaml', '--out', 'x', '--kinds', '--client-node'])).toBe(2);
  expect(error.mock.calls.join('')).toMatch(/"--kinds" cannot be used with option "--client-node"/);
});
