/**
 * Strict decoding of request bodies: the three modes of fieldValidation, with the reference's messages in its order.
 * Invariant: the decoded value is the same in all modes; only the reported problems differ.
 */

import { decodeUtf8 } from '../../base/bytes.ts';
import { parseJson } from '../../base/json-parse.ts';
import { MAX_JSON_DEPTH, readJson } from '../../base/json-read.ts';
import type { JsonReadError } from '../../base/json-result.ts';
import type { JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type { StructView } from '../type-view.ts';
import { StrictFieldCollector } from './strict-fields.ts';
import { hasUnknownFields, pruneUnknownFields } from './unknown-fields.ts';
import { formatYamlDuplicates, readYaml, type YamlReadError } from './yaml/yaml.ts';

/** Ignore reports nothing. Warn turns each problem into a warning. Strict refuses the body. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface StrictOptions {
  readonly fieldValidation: FieldValidation;
  /**
   * The type of the body, for kinds that are decoded into one. Fields that it does not have are dropped. Without a view
   * no field is unknown, and duplicates are reported at every level, as for custom resources.
   */
  readonly view?: StructView | undefined;
}

/** `problems` are messages of single errors, at most 100 from JSON and one more from YAML. Empty in the Ignore mode. */
export type StrictResult<E> =
  | { readonly ok: true; readonly value: JsonValue; readonly problems: readonly string[] }
  | { readonly ok: false; readonly error: E };

/** Decodes JSON. Problems are in the order of the text. Never throws. */
export function decodeStrictJson(input: Uint8Array | string, options: StrictOptions): StrictResult<JsonReadError> {
  const quiet = options.fieldValidation === 'Ignore';
  const read = readJson(input, { duplicates: quiet ? 'ignore' : 'report' });
  if (!read.ok) return read;
  const { value } = read;
  const hasUnknown = options.view !== undefined && hasUnknownFields(value, options.view);
  const problems =
    !quiet && (hasUnknown || read.duplicates.length > 0)
      ? collectProblems(typeof input === 'string' ? input : decodeUtf8(input), options.view)
      : [];
  if (hasUnknown && options.view !== undefined) pruneUnknownFields(value, options.view);
  return { ok: true, value, problems };
}

/**
 * Decodes the first document of YAML. All duplicates are one problem; unknown fields follow in the order of sorted
 * keys. Never throws.
 */
export function decodeStrictYaml(input: Uint8Array | string, options: StrictOptions): StrictResult<YamlReadError> {
  const read = readYaml(input);
  if (!read.ok) return read;
  const { value } = read;
  const quiet = options.fieldValidation === 'Ignore';
  const problems: string[] = [];
  if (!quiet && read.duplicates.length > 0) problems.push(formatYamlDuplicates(read.duplicates));
  if (options.view !== undefined && hasUnknownFields(value, options.view)) {
    // The reference turns YAML into JSON with sorted keys and decodes that.
    if (!quiet) problems.push(...collectProblems(writeJson(sortKeys(value), { escapeHtml: false }), options.view));
    pruneUnknownFields(value, options.view);
  }
  return { ok: true, value, problems };
}

/**
 * The unknown and duplicate fields of the operations of a JSON patch, in the order of the text, as in `json patch
 * unknown field "[0].x"`. The text must be valid JSON.
 */
export function jsonPatchProblems(input: Uint8Array | string): readonly string[] {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  return collectProblems(text, 'operations').map((problem) => `json patch ${problem}`);
}

/** The message of the error with which the Strict mode refuses a body. */
export function formatStrictError(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(', ')}`;
}

const YAML_PREFIX = /^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n/;

/** The warnings of the Warn mode: one per problem, and one per line of a YAML problem. */
export function strictWarnings(problems: readonly string[]): string[] {
  return problems.flatMap((problem) => {
    const lines = problem.replace(YAML_PREFIX, '');
    return lines === problem ? [problem] : lines.split('\n').map((line) => line.trim());
  });
}

function collectProblems(text: string, view: StructView | 'operations' | undefined): readonly string[] {
  const collector = new StrictFieldCollector(view);
  parseJson(text, {
    maxDepth: MAX_JSON_DEPTH,
    maxDuplicates: 0,
    onKey: (key, frames) => collector.onKey(key, frames),
  });
  return collector.problems();
}

/** A copy with sorted keys. Recursive, because the depth of YAML is bounded. */
function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  // A plain object is enough: JavaScript moves only integer-like keys, and those sort first anyway.
  return Object.fromEntries(
    Object.keys(value)
      .sort(compareUtf8)
      .map((key) => [key, sortKeys(value[key] as JsonValue)]),
  );
}
