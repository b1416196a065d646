import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTestFile, ROOT, readSources } from './source-graph.ts';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;
const decisions = join(ROOT, 'docs', 'decisions');

describe('the decision records', () => {
  it('have one record for each package of package.json', () => {
    const records = readdirSync(decisions).map((file) => readFileSync(join(decisions, file), 'utf8'));
    const packages = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
    const concerned = (name: string): number =>
      records.filter((text) => new RegExp(`^Status: .*ependency \`${name}\``, 'm').test(text)).length;
    expect(packages.filter((name) => concerned(name) !== 1)).toEqual([]);
  });

  it('name no package that package.json does not have', () => {
    for (const file of readdirSync(decisions)) {
      const named = /ependency `([^`]+)`/.exec(readFileSync(join(decisions, file), 'utf8'))?.[1];
      if (named !== undefined)
        expect(named in manifest.dependencies || named in manifest.devDependencies, `${file}: ${named}`).toBe(true);
    }
  });
});

const sources = readSources();

describe('the source files', () => {
  it('open with a comment that says what the file is', () => {
    const silent = sources
      .filter((file) => !isTestFile(file.path) && !file.path.startsWith('kinds/'))
      .filter((file) => !/^(#!.*\n)?\/\*\*/.test(file.text))
      .map((file) => file.path);
    expect(silent).toEqual([]);
  });
});

/** Names in documents that stand for many files. */
const PATTERNS = new Set(['x.suite.ts', 'x.test.ts']);

describe('the documents', () => {
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'docs/architecture.md',
    'docs/compatibility.md',
    'docs/reference/errors.md',
  ];

  it.each(files)('%s links only to files that exist', (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] as string);
    const base = join(ROOT, file, '..');
    expect(links.filter((link) => !existsSync(join(base, link)))).toEqual([]);
  });

  it.each(files)('%s has at most 120 columns outside of code and tables', (file) => {
    const prose = readFileSync(join(ROOT, file), 'utf8').replace(/^ *```.*?^ *```/gms, '');
    const lines = prose.split('\n').filter((line) => line.length > 120 && !line.trimStart().startsWith('|'));
    expect(lines).toEqual([]);
  });

  it.each(files)('%s names only source files that exist', (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    // `cache/settler.ts` is src/cache/settler.ts. A name without a folder may be in any: `probe.ts`.
    const named = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map((match) => match[1] as string);
    const isKnown = (name: string): boolean =>
      existsSync(join(ROOT, name)) || sources.some(({ path }) => `/${path}`.endsWith(`/${name}`));
    expect(named.filter((name) => !PATTERNS.has(name) && !isKnown(name))).toEqual([]);
  });
});
