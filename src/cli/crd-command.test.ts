import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CRON_TAB } from '../scaffold/scaffold.fixtures.ts';
import { githubCommand } from './finding-format.ts';
import { runCommand } from './program.ts';

const OBJECT = 'apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: x}\nspec: {cronSpec: "*", foo: 1}\n';

let folder: string;
let output: string[];
let complaints: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-crd-'));
  await writeFile(join(folder, 'crontabs.yaml'), CRON_TAB);
  await writeFile(join(folder, 'broken.yaml'), 'a: "x\n');
  await writeFile(join(folder, 'wrong.yaml'), CRON_TAB.replace('served: true', 'served: 1'));
  output = [];
  complaints = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void complaints.push(String(line)));
  vi.stubEnv('GITHUB_WORKSPACE', undefined);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await rm(folder, { recursive: true });
});

function run(...args: string[]): Promise<number> {
  return runCommand(['crd', ...args.map((arg) => (/\.yaml$|^out$/.test(arg) ? join(folder, arg) : arg))]);
}

function withStdin(text: string): void {
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(text)]) as typeof process.stdin);
}

function lines(): string[] {
  return output.map((line) => line.replaceAll(`${folder}/`, ''));
}

describe('keelson crd check', () => {
  it('reports the syntax error of a single file and exits with 1', async () => {
    expect(await run('check', 'broken.yaml')).toBe(1);
    expect(lines()).toEqual(['broken.yaml:1:4: the quoted text has no closing quote', '0 definitions, 1 problem']);
  });

  it('reports every file that cannot be parsed', async () => {
    expect(await run('check', 'wrong.yaml', 'crontabs.yaml', 'broken.yaml', 'none.yaml')).toBe(1);
    expect(lines()).toEqual([
      'broken.yaml:1:4: the quoted text has no closing quote',
      'none.yaml:1:1: cannot be read: no such file or folder',
      'wrong.yaml:12:7: spec.versions[0].served: must be a boolean, not the number 1',
      '2 definitions, 3 problems',
    ]);
  });

  it('exits with 0 without a problem and with 2 if there is nothing to check', async () => {
    expect(await run('check', 'crontabs.yaml', '--costs')).toBe(0);
    expect(lines()).toEqual([
      'crontabs.yaml:23:19: v1: costs at most 3 (0.00 % of the limit): self.replicas < 10',
      '1 definition, 0 problems',
    ]);
    await writeFile(join(folder, 'other.yaml'), OBJECT);
    expect(await run('check', 'other.yaml')).toBe(2);
    expect(complaints[0]).toMatch(/^keelson: no CustomResourceDefinition in .*other.yaml: name a file/);
  });

  it('reads standard input, once', async () => {
    withStdin(`${CRON_TAB}---\n${OBJECT}`);
    expect(await run('check', '-')).toBe(0);
    withStdin(OBJECT);
    expect(await run('check', 'crontabs.yaml', '--objects', '-')).toBe(1);
    expect(lines().slice(1)).toEqual([
      '<stdin>:4:23: would be pruned: unknown field "spec.foo"',
      '1 object of these kinds',
      '1 definition, 1 problem',
    ]);
    expect(await run('check', '-', '--objects', '-')).toBe(2);
    expect(complaints).toEqual(['keelson: "-" is named more than once, but standard input can be read only once']);
  });

  it('writes JSON', async () => {
    withStdin(`${OBJECT}---\n${OBJECT.replace('v1\n', 'v9\n')}---\nkind: ConfigMap\n`);
    expect(await run('check', 'crontabs.yaml', '--objects', '-', '--costs', '--output', 'json')).toBe(1);
    expect(JSON.parse(lines().join('\n'))).toEqual({
      definitions: 1,
      objects: { checked: 2, blocked: 0, other: 1 },
      problems: [
        { kind: 'pruned', file: '<stdin>', line: 4, column: 23, message: 'unknown field "spec.foo"' },
        {
          kind: 'rejected',
          file: '<stdin>',
          line: 6,
          column: 1,
          message: 'version "v9" of crontabs.stable.example.com does not exist; served are: v1',
        },
      ],
      costs: [expect.objectContaining({ file: 'crontabs.yaml', line: 23, column: 19, version: 'v1', cost: 3 })],
    });
  });

  it('writes annotations of a workflow', async () => {
    withStdin(OBJECT);
    expect(await run('check', 'wrong.yaml', '--output=github')).toBe(1);
    expect(lines()).toEqual([
      '::error file=wrong.yaml,line=12,col=7::spec.versions[0].served: must be a boolean, not the number 1',
      '1 definition, 1 problem',
    ]);
    expect(await run('check', 'crontabs.yaml', '--objects', '-', '--costs', '--output=github')).toBe(1);
    expect(lines()).toContain('::error line=4,col=23::would be pruned: unknown field "spec.foo"');
    expect(lines()).toContainEqual(
      expect.stringMatching(/^::notice file=crontabs.yaml,line=23,col=19::v1: costs at most 3 \(0.00 %25 of/),
    );
  });

  it('refuses other formats', async () => {
    expect(await run('check', 'crontabs.yaml', '--output', 'xml')).toBe(2);
    expect(complaints).toEqual(['keelson: --output: "xml" is not one of text, json, github']);
  });
});

describe('annotations of a workflow', () => {
  it('have escaped texts, and paths below the workspace', () => {
    const finding = { file: 'a/b,c:d.yaml', place: { line: 1, column: 2 }, message: '100 %\nof it' };
    expect(githubCommand('error', finding, '')).toBe('::error file=a/b%2Cc%3Ad.yaml,line=1,col=2::100 %25%0Aof it');
    expect(githubCommand('error', { ...finding, file: '/w/r/x.yaml' }, '/w/r')).toMatch(/^::error file=x\.yaml,/);
  });
});

describe('keelson crd types', () => {
  it('writes types of the definitions that can be decoded, reports the problems and exits with 1', async () => {
    expect(await run('types', 'crontabs.yaml', '-o', 'out')).toBe(0);
    expect(await readdir(join(folder, 'out'), { recursive: true })).toContain(join('stable.example.com', 'v1.ts'));
    expect(await run('types', 'wrong.yaml', 'broken.yaml', '-o', 'out')).toBe(1);
    expect(complaints.map((line) => line.replaceAll(`${folder}/`, ''))).toEqual([
      'broken.yaml:1:4: the quoted text has no closing quote',
      'wrong.yaml:12:7: spec.versions[0].served: must be a boolean, not the number 1',
    ]);
  });

  it('lists files and problems as JSON', async () => {
    await mkdir(join(folder, 'none'));
    withStdin(CRON_TAB);
    expect(await run('types', '-', 'broken.yaml', '-o', 'out', '--output', 'json')).toBe(1);
    expect(JSON.parse(lines().join('\n'))).toEqual({
      definitions: 1,
      files: ['out/stable.example.com/v1.ts', 'out/meta.ts'],
      problems: [expect.objectContaining({ kind: 'syntax', file: 'broken.yaml' })],
    });
  });
});
