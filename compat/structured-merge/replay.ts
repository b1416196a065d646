/** Replays recorded calls on our code. Each returns undefined, or how the answers differ. */
import { compareTyped } from '../../src/apimachinery/apply/comparison.ts';
import type { MergeType } from '../../src/apimachinery/apply/merge-type.ts';
import { mergeTyped } from '../../src/apimachinery/apply/merge-typed.ts';
import { ensureNamedFieldsAreMembers } from '../../src/apimachinery/apply/named-fields.ts';
import { reconcileFieldSet } from '../../src/apimachinery/apply/reconcile-field-set.ts';
import { extractItems, removeItems, withKeyFields } from '../../src/apimachinery/apply/remove-items.ts';
import { toFieldSet } from '../../src/apimachinery/apply/to-field-set.ts';
import { validateTyped } from '../../src/apimachinery/apply/validate-typed.ts';
import { readElement } from '../../src/apimachinery/field-set/element-codec.ts';
import { equalSets, type FieldSet } from '../../src/apimachinery/field-set/field-set.ts';
import { readFieldsV1, writeFieldsV1 } from '../../src/apimachinery/field-set/fields-v1.ts';
import { compareElements, formatPath, type PathElement } from '../../src/apimachinery/field-set/path-element.ts';
import {
  difference,
  intersection,
  leaves,
  recursiveDifference,
  union,
} from '../../src/apimachinery/field-set/set-algebra.ts';
import { ANY_ELEMENT, includeFilter, type SetFilter } from '../../src/apimachinery/field-set/set-filter.ts';
import { readJson } from '../../src/base/json-read.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import type { RecordedSchema } from './merge-schema.ts';

export type Schemas = ReadonlyMap<number, RecordedSchema>;
export type Difference = string | undefined;

export function replay(call: JsonObject, schemas: Schemas): Difference {
  const op = call['op'] as string;
  if (op in setCalls) return (setCalls[op] as (call: JsonObject) => Difference)(call);
  const type = typeIn(call, schemas);
  switch (op) {
    case 'ensure-named':
      return sameSet(ensureNamedFieldsAreMembers(setIn(call, 'a'), type), call['out']);
    case 'validate':
      return validate(call, type as MergeType);
    default:
      return typedCall(call, type as MergeType);
  }
}

/** The type that a call, or a value inside it, names; undefined if the reference is empty. */
export function typeIn(holder: JsonObject, schemas: Schemas): MergeType | undefined {
  return (schemas.get(holder['schema'] as number) as RecordedSchema).typeOf(holder['type'] as JsonObject);
}

function typedCall(call: JsonObject, type: MergeType): Difference {
  if (call['error'] !== null && call['error'] !== undefined) return `the reference refuses it: ${call['error']}`;
  const value = call['value'] as JsonValue;
  switch (call['op']) {
    case 'field-set':
      return sameSet(toFieldSet(value, type), call['out']);
    case 'merge':
      return sameValue(mergeTyped(value, call['config'] as JsonValue, type), call['out']);
    case 'compare': {
      const { removed, modified, added } = compareTyped(value, call['next'] as JsonValue, type);
      return sameSet(removed, call['removed']) ?? sameSet(modified, call['modified']) ?? sameSet(added, call['added']);
    }
    case 'remove':
      return sameValue(removeItems(value, setIn(call, 'items'), type), call['out']);
    case 'extract': {
      const items = setIn(call, 'items');
      const wanted = call['keyFields'] === true ? withKeyFields(items, toFieldSet(value, type)) : items;
      return sameValue(extractItems(value, wanted, type), call['out']);
    }
    case 'reconcile': {
      const set = setIn(call, 'items');
      const ours = reconcileFieldSet(set, type);
      return sameSet(ours, call['out'] ?? call['items']);
    }
    default:
      return `unknown call ${call['op']}`;
  }
}

function validate(call: JsonObject, type: MergeType): Difference {
  const issues = validateTyped(call['value'] as JsonValue, type, { allowDuplicates: call['allowDuplicates'] === true });
  if ((issues === undefined) === (call['error'] === null)) return undefined;
  return `ours ${JSON.stringify(issues)}, theirs ${call['error']}`;
}

const setCalls: Readonly<Record<string, (call: JsonObject) => Difference>> = {
  union: (call) => sameSet(union(setIn(call, 'a'), setIn(call, 'b')), call['out']),
  intersection: (call) => sameSet(intersection(setIn(call, 'a'), setIn(call, 'b')), call['out']),
  difference: (call) => sameSet(difference(setIn(call, 'a'), setIn(call, 'b')), call['out']),
  'recursive-difference': (call) => sameSet(recursiveDifference(setIn(call, 'a'), setIn(call, 'b')), call['out']),
  leaves: (call) => sameSet(leaves(setIn(call, 'a')), call['out']),
  equals: (call) => sameValue(equalSets(setIn(call, 'a'), setIn(call, 'b')), call['out']),
  has: (call) => {
    const [path] = setIn(call, 'b').paths();
    return sameValue(setIn(call, 'a').has(path ?? []), call['out']);
  },
  string: (call) => sameValue(Array.from(setIn(call, 'a').paths(), (path) => formatPath(path)).join('\n'), call['out']),
  order: (call) => {
    const order = compareElements(elementIn(call['a']), elementIn(call['b']));
    return sameValue(Math.sign(order), Math.sign(call['out'] as number));
  },
  filter: (call) => sameSet(patternFilter(call['patterns'] as JsonValue[])(setIn(call, 'a')), call['out']),
  read: (call) => {
    const text = readJson(call['text'] as string);
    const ours = text.ok ? readFieldsV1(text.value) : undefined;
    if (ours?.ok === true) return call['out'] === undefined ? 'only we read it' : sameSet(ours.set, call['out']);
    return call['out'] === undefined ? undefined : 'only the reference reads it';
  },
};

/** A filter that keeps what the patterns reach; null stands for any element. */
export function patternFilter(patterns: readonly JsonValue[]): SetFilter {
  return includeFilter(
    ...patterns.map((pattern) =>
      (pattern as JsonValue[]).map((step) => (step === null ? ANY_ELEMENT : elementIn(step))),
    ),
  );
}

function elementIn(text: JsonValue | undefined): PathElement {
  const read = readElement(text as string);
  if (!read.ok) throw new Error(`not an element: ${text}`);
  return read.element;
}

/** A recorded set: the text of its FieldsV1. */
export function setIn(call: JsonObject, name: string): FieldSet {
  return parseSet(call[name] as string);
}

export function parseSet(text: string): FieldSet {
  const json = readJson(text);
  const read = json.ok ? readFieldsV1(json.value) : json;
  if (!read.ok || !('set' in read)) throw new Error(`not a set: ${text}`);
  return read.set;
}

/** Byte for byte. */
export function sameSet(ours: FieldSet, theirs: JsonValue | undefined): Difference {
  const text = writeJson(writeFieldsV1(ours), { escapeHtml: false });
  return text === theirs ? undefined : `ours   ${text}\n      theirs ${theirs}`;
}

export function sameValue(ours: JsonValue, theirs: JsonValue | undefined): Difference {
  if (equalJson(ours, theirs ?? null)) return undefined;
  return `ours   ${writeJson(ours)}\n      theirs ${writeJson(theirs ?? null)}`;
}
