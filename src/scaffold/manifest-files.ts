/**
 * The manifests in files and on standard input: YAML streams and JSON, with the items of Lists as manifests of their
 * own. Invariants: every object has its file and the place of each of its fields; a file that cannot be read and a
 * document that cannot be parsed are findings, not exceptions.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { readYaml, type YamlReadError } from '../apimachinery/codec/yaml/yaml.ts';
import { decodeUtf8Strict } from '../base/bytes.ts';
import { toError } from '../base/errors.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import type { Finding } from './finding.ts';
import { type ManifestDocument, splitDocuments } from './manifest-documents.ts';
import { syntaxSentence } from './syntax-words.ts';
import { DocumentPlaces, type Place } from './yaml-places.ts';

export interface Manifest {
  readonly file: string;
  readonly object: JsonObject;
  /**
   * Returns the place of a path, or of its longest prefix that the manifest has. Of several paths, it takes the one of
   * which the least is missing.
   */
  place(...paths: (readonly string[])[]): Place;
}

export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly Finding[];
}

export interface ManifestSource {
  /** Reads all of standard input, which the path `-` names. */
  readonly readStdin: () => Promise<Uint8Array>;
}

/** The name of standard input in findings. */
export const STDIN_NAME = '<stdin>';

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);
const FIRST: Place = { line: 1, column: 1 };

/** Reads files, `-`, and all manifests below folders, in this order. Never rejects for a path that cannot be read. */
export async function readManifests(paths: readonly string[], { readStdin }: ManifestSource): Promise<Manifests> {
  const manifests: Manifest[] = [];
  const problems: Finding[] = [];
  const unreadable = (file: string, caught: unknown): void => {
    problems.push({ kind: 'syntax', file, place: FIRST, message: `cannot be read: ${reasonOf(caught)}` });
  };
  for (const path of paths) {
    if (path === '-') addManifests(STDIN_NAME, await readStdin(), manifests, problems);
    else
      try {
        for (const file of await filesAt(path))
          try {
            addManifests(file, await readFile(file), manifests, problems);
          } catch (caught) {
            unreadable(file, caught);
          }
      } catch (caught) {
        unreadable(path, caught);
      }
  }
  return { manifests, problems };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

function reasonOf(caught: unknown): string {
  const error = toError(caught) as NodeJS.ErrnoException;
  if (error.code === undefined) throw error;
  return REASONS[error.code] ?? error.message;
}

async function filesAt(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true });
  return entries
    .filter((entry) => EXTENSIONS.has(extname(entry)))
    .sort()
    .map((entry) => join(path, entry));
}

function addManifests(file: string, bytes: Uint8Array, manifests: Manifest[], problems: Finding[]): void {
  const report = (place: Place, message: string): void => {
    problems.push({ kind: 'syntax', file, place, message });
  };
  const text = decodeUtf8Strict(bytes);
  if (text === undefined) {
    report(FIRST, 'the file is not UTF-8 text');
    return;
  }
  const split = splitDocuments(text);
  for (const { place, message } of split.problems) report(place, message);
  for (const document of split.documents) {
    const read = readYaml(document.text, { maxBytes: Number.POSITIVE_INFINITY });
    const moved = ({ line, column }: Place): Place => ({ line: document.line + line, column });
    if (!read.ok) report(moved(placeOfError(read.error, document)), syntaxSentence(read.error.reason));
    else {
      for (const { line, column, key } of read.duplicates)
        report(moved({ line, column }), `the key ${key} occurs twice in one mapping`);
      addObjects({ file, document, places: new DocumentPlaces(document.text) }, read.value, [], manifests);
    }
  }
}

const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** The parser gives no position for a control character, and one after the last line for a missing end. */
function placeOfError({ line, column }: YamlReadError, { text }: ManifestDocument): Place {
  const lines = text.trimEnd().split('\n');
  if (line > lines.length) return { line: lines.length, column: (lines.at(-1) as string).length + 1 };
  if (line > 0) return { line, column };
  const before = text.slice(0, Math.max(0, text.search(CONTROL))).split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}

interface DocumentContext {
  readonly file: string;
  readonly document: ManifestDocument;
  readonly places: DocumentPlaces;
}

/** Adds the object, or the items of a List. */
function addObjects(
  context: DocumentContext,
  value: JsonValue,
  prefix: readonly string[],
  manifests: Manifest[],
): void {
  if (!isJsonObject(value)) return;
  const items = getField(value, 'items');
  const kind = getField(value, 'kind');
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    const type = kind === 'List' ? {} : { apiVersion: value['apiVersion'] ?? '', kind: kind.slice(0, -'List'.length) };
    for (const [i, item] of items.entries())
      addObjects(context, isJsonObject(item) ? { ...type, ...item } : item, [...prefix, 'items', String(i)], manifests);
    return;
  }
  const { file, document, places } = context;
  manifests.push({
    file,
    object: value,
    place: (...paths) => {
      let best: { readonly place: Place; readonly missing: number } | undefined;
      for (const path of paths) {
        const { place, depth } = places.find([...prefix, ...path]);
        const missing = prefix.length + path.length - depth;
        if (best === undefined || missing < best.missing) best = { place, missing };
      }
      const { line, column } = best?.place ?? FIRST;
      return { line: document.line + line, column };
    },
  });
}
