/**
 * The manifests in files: YAML streams and JSON, with the items of Lists as manifests of their own. Invariants: every
 * object has its file and the place of each of its fields; a document that cannot be parsed is a problem with a place,
 * not an exception.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { readYaml } from '../apimachinery/codec/yaml/yaml.ts';
import { ConfigError, toError } from '../base/errors.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import { depthOf, type Place, placeOf } from './yaml-places.ts';

export interface Manifest {
  readonly file: string;
  readonly object: JsonObject;
  /**
   * Returns the place of a path, or of its longest prefix that the manifest has. Of several paths, it takes the one of
   * which the least is missing.
   */
  place(...paths: (readonly string[])[]): Place;
}

export interface ManifestProblem {
  readonly file: string;
  readonly place: Place;
  readonly message: string;
}

export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly ManifestProblem[];
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** Reads files, and all manifests below folders. Throws ConfigError for a path that cannot be read. */
export async function readManifests(paths: readonly string[]): Promise<Manifests> {
  const manifests: Manifest[] = [];
  const problems: ManifestProblem[] = [];
  for (const path of paths)
    for (const file of await filesAt(path)) readManifest(file, await readFile(file, 'utf8'), manifests, problems);
  return { manifests, problems };
}

async function filesAt(path: string): Promise<string[]> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(path)).isDirectory();
  } catch (caught) {
    throw new ConfigError(`cannot read ${path}: ${toError(caught).message}`);
  }
  if (!isFolder) return [path];
  const entries = await readdir(path, { recursive: true });
  return entries
    .filter((entry) => EXTENSIONS.has(extname(entry)))
    .sort()
    .map((entry) => join(path, entry));
}

function readManifest(file: string, text: string, manifests: Manifest[], problems: ManifestProblem[]): void {
  for (const { document, line } of documentsOf(text)) {
    const read = readYaml(document, { maxBytes: Number.POSITIVE_INFINITY });
    if (!read.ok) {
      const place = { line: line + Math.max(1, read.error.line), column: 1 };
      problems.push({ file, place, message: read.error.message });
    } else {
      for (const { line: at, key } of read.duplicates)
        problems.push({ file, place: { line: line + at, column: 1 }, message: `the key ${key} occurs twice` });
      addObjects(file, document, line, read.value as JsonObject, [], manifests);
    }
  }
}

/** Adds the object, or the items of a List. */
function addObjects(
  file: string,
  document: string,
  line: number,
  value: unknown,
  prefix: readonly string[],
  manifests: Manifest[],
): void {
  if (!isJsonObject(value as JsonObject)) return;
  const object = value as JsonObject;
  const items = getField(object, 'items');
  if (getField(object, 'kind') === 'List' && Array.isArray(items)) {
    for (const [i, item] of items.entries())
      addObjects(file, document, line, item, [...prefix, 'items', String(i)], manifests);
    return;
  }
  manifests.push({
    file,
    object,
    place: (...paths) => {
      const whole = paths.map((path) => [...prefix, ...path]);
      const path = whole.reduce((best, candidate) =>
        depthOf(document, candidate) - candidate.length > depthOf(document, best) - best.length ? candidate : best,
      );
      const place = placeOf(document, path);
      return { line: line + place.line, column: place.column };
    },
  });
}

/** Returns the documents of a stream, each with the number of lines before it. */
function documentsOf(text: string): { readonly document: string; readonly line: number }[] {
  const documents: { document: string; line: number }[] = [];
  let lines: string[] = [];
  let start = 0;
  const all = text.split(/\r?\n/);
  const end = (next: number): void => {
    if (lines.some((line) => line.trim() !== '' && !line.trimStart().startsWith('#')))
      documents.push({ document: `${lines.join('\n')}\n`, line: start });
    lines = [];
    start = next;
  };
  all.forEach((line, i) => {
    if (/^---(\s|$)/.test(line)) end(i + 1);
    else lines.push(line);
  });
  end(all.length);
  return documents;
}
