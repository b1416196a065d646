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
function compile(folder: string, moduleResolution: string): string {
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
