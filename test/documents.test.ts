import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTestFile, ROOT, readSources } from './source-graph.ts';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;
const decisions = join(ROOT, 'docs', 'decisions');
const architecture = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');

describe('the decisions', () => {
  it('have one record for each package of package.json', () => {
    const records = readdirSync(decisions).map((file) => readFileSync(join(decisions, file), 'utf8'));
    const packages = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
    const concerned = (name: string): number =>
      records.filter((text) => new RegExp(`^Status: .*ependency \`${name}\``, 'm').test(text)).length;
    expect(packages.filter((name) => concerned(name) !== 1)).toEqual([]);
  });

  it('are no longer about packages that left', () => {
    for (const file of readdirSync(decisions)) {
      const named = /ependency `([^`]+)`/.exec(readFileSync(join(decisions, file), 'utf8'))?.[1];
      if (named !== undefined)
        expect(named in manifest.dependencies || named in manifest.devDependencies, `${file}: ${named}`).toBe(true);
    }
  });
});

describe('the code map of docs/architecture.md', () => {
  const map = architecture.slice(architecture.indexOf('## Code map'));

  it('names only what exists', () => {
    const named = [...map.matchAll(/`((?:src|test|bench|compat|scripts)\/[^`\s*]+)`/g)].map(
      (match) => match[1] as string,
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names every folder of src, and every file that stands directly in a layer', () => {
    const missing = readSources()
      .filter((file) => !isTestFile(file.path))
      .map((file) => file.path.split('/'))
      .map((parts) => (parts.length > 2 ? `src/${parts.slice(0, 2).join('/')}/` : parts.join('/').replace(/\.ts$/, '')))
      .filter((name) =>
        name.endsWith('/') ? !map.includes(`\`${name}\``) : !map.includes(`\`${name.split('/').at(-1)}\``),
      );
    expect([...new Set(missing)]).toEqual([]);
  });
});

describe('the texts', () => {
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'docs/architecture.md',
    'docs/compatibility.md',
    'docs/errors.md',
  ];

  it.each(files)('%s links only to files that exist', (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] as string);
    const base = join(ROOT, file, '..');
    expect(links.filter((link) => !existsSync(join(base, link)))).toEqual([]);
  });
});
