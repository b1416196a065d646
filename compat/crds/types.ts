/**
 * The check of `keelson crd types` on the corpus: the types of all CRDs compile under strict options, and every object
 * that the offline check accepts is assignable to the type of its kind.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSchemaChecks } from '../../src/apiextensions/definition/validation/create-schema-checks.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { checkCaBundle } from '../../src/pki/ca-bundle.ts';
import { checkCrd } from '../../src/scaffold/crd-check.ts';
import { crdTypes } from '../../src/scaffold/crd-types.ts';
import type { Manifest } from '../../src/scaffold/manifest-files.ts';
import { createObjectChecker } from '../../src/scaffold/object-check.ts';
import { ROOT } from '../peers/programs.ts';
import type { Subject } from './prepare.ts';

export interface TypesReport {
  readonly definitions: number;
  readonly objects: number;
  readonly lines: number;
  /** The output of the compiler, one line each. */
  readonly errors: readonly string[];
}

export function checkTypes(subjects: readonly Subject[]): TypesReport {
  const tools = { checks: createSchemaChecks(), caBundle: checkCaBundle };
  const checked = subjects.map(({ definition }) => checkCrd(manifestOf(definition as unknown as JsonObject), tools));
  const isAccepted = objectFilter(checked);
  const folder = mkdtempSync(join(tmpdir(), 'compat-crd-types-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  try {
    const files = crdTypes(checked.flatMap(({ crd }) => (crd === undefined ? [] : [crd])));
    for (const [path, text] of files) write(path, text);
    const objects = subjects
      .flatMap(({ examples }) => examples)
      .map((example) => withoutNulls(example as JsonObject) as JsonObject)
      .filter(isAccepted);
    for (const [i, object] of objects.entries()) write(`objects/object-${i}.ts`, assignment(object));
    write('tsconfig.json', JSON.stringify(OPTIONS));
    return {
      definitions: checked.length,
      objects: objects.length,
      lines: [...files.values()].reduce((sum, text) => sum + text.split('\n').length, 0),
      errors: compile(folder),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const OPTIONS = {
  compilerOptions: {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
    types: [],
  },
  include: ['**/*.ts'],
};

function manifestOf(object: JsonObject): Manifest {
  return { file: '', object, place: () => ({ line: 1, column: 1 }) };
}

function objectFilter(checked: readonly ReturnType<typeof checkCrd>[]): (object: JsonObject) => boolean {
  const check = createObjectChecker(checked);
  return (object) => {
    const verdict = check(manifestOf(object));
    return verdict.outcome === 'checked' && verdict.findings.length === 0;
  };
}

/** The server drops a null where the schema does not allow it. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null)
      .map(([key, child]) => [key, withoutNulls(child)]),
  );
}

/** Returns a module that assigns an object to the type of its kind. */
function assignment(object: JsonObject): string {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  return `import type * as types from '../${apiVersion}.js';\nexport const object: types.${kind} = ${JSON.stringify(object)};\n`;
}

function compile(folder: string): readonly string[] {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', '.'], { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    return [];
  } catch (caught) {
    return String((caught as { stdout?: string }).stdout)
      .split('\n')
      .filter((line) => line !== '');
  }
}
