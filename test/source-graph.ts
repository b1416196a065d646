/** The import graph of the sources, which the architecture tests check. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = dirname(dirname(fileURLToPath(import.meta.url)));
export const SRC: string = join(ROOT, 'src');

export interface SourceFile {
  /** Relative to src, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Relative imports, resolved to paths relative to src (`../x` outside of it). */
  readonly files: readonly string[];
  /** Other imports, as written: packages and `node:` modules. */
  readonly packages: readonly string[];
}

const IMPORT =
  /(?:^|[;\n}]\s*)(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Returns the specifiers that a TypeScript source imports, with types and dynamic imports. */
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

/** Returns all sources, with tests and fixtures. */
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
