/** Reads the import statements of the sources: what the architecture tests judge. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = dirname(dirname(fileURLToPath(import.meta.url)));
export const SRC: string = join(ROOT, 'src');

export interface SourceFile {
  /** Relative to src, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Relative imports, resolved: paths relative to src (or `../x` when they leave it). */
  readonly files: readonly string[];
  /** Everything else: packages and `node:` modules, as written. */
  readonly packages: readonly string[];
}

const IMPORT =
  /(?:^|[;\n}]\s*)(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** The specifiers that a TypeScript source imports, types and dynamic imports included. */
export function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/g, '');
  return [...code.matchAll(IMPORT)].map((match) => (match[1] ?? match[2]) as string);
}

export function readSource(path: string): SourceFile {
  const absolute = join(SRC, path);
  const text = readFileSync(absolute, 'utf8');
  const files: string[] = [];
  const packages: string[] = [];
  for (const specifier of importsOf(text)) {
    if (specifier.startsWith('.')) files.push(posix(relative(SRC, resolve(dirname(absolute), specifier))));
    else packages.push(specifier);
  }
  return { path, text, files, packages };
}

/** All sources; `tests` includes test files, fixtures and suites, which are otherwise left out except suites (they ship). */
export function readSources(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map(posix)
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map(readSource);
}

export function isTestFile(path: string): boolean {
  return /\.(test|fixtures)\.ts$/.test(path);
}

export function packageName(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] as string);
}

function posix(path: string): string {
  return path.split(sep).join('/');
}
