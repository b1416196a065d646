/**
 * Documents of built-in kinds in unusual but mostly valid forms, decoded into the Go types and encoded again. The texts
 * are compared.
 */
import { type NormalizeForm, normalizeTyped } from '../../src/apimachinery/codec/typed-normalize.ts';
import type { StructView } from '../../src/apimachinery/type-view.ts';
import { readJson } from '../../src/base/json-read.ts';
import { cloneJson, type JsonArray, type JsonObject, type JsonValue, setField } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { type FactBook, viewOfFacts } from './facts-view.ts';
import { structOf } from './generate.ts';
import { generatedViews } from './generated-views.ts';
import type { Subject } from './subject.ts';
import { slotsOf, WRONG } from './typed-subjects.ts';

/** Kinds without generated facts; the oracle provides them. */
const MORE_KINDS = new Map([
  ['Pod', '/v1/Pod'],
  ['Service', '/v1/Service'],
  ['Node', '/v1/Node'],
  ['PersistentVolume', '/v1/PersistentVolume'],
  ['Deployment', 'apps/v1/Deployment'],
  ['ControllerRevision', 'apps/v1/ControllerRevision'],
]);

const views = new Map<string, StructView>();

/** Values that some scalar or container reads and prints in another way. */
const ODD: readonly JsonValue[] = [
  null,
  null,
  '',
  0,
  false,
  [],
  {},
  [null],
  { b: 'x', a: 'y', c: null },
  { b: null, a: 'YQ', '\ue000': 'eA==', '🚢': 'YQ==' },
  { z: ['x', null], a: null, m: [] },
  'YR==',
  'YW\nJj',
  [1, 2, null],
  '2024-02-29T12:00:00.999Z',
  '2024-02-29T12:00:00+05:30',
  '2024-02-29T12:00:00.000001Z',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00.000000Z',
  '1970-01-01T00:00:00Z',
  '1970-01-01T00:00:00.000000Z',
  '2024-01-31T00:00:00Z',
  '1.50',
  '1e3',
  '90m',
  '3600s',
  9223372036854775807n,
];

const UNKNOWN = ['nosuch', 'Metadata', 'NAME', '__proto__', 'toString'];

function shuffled(value: JsonValue, random: Random): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  const keys = Object.keys(value);
  for (let i = keys.length - 1; i > 0; i--) {
    const j = random.int(i + 1);
    [keys[i], keys[j]] = [keys[j] as string, keys[i] as string];
  }
  const out: JsonObject = {};
  for (const key of keys) setField(out, key, shuffled(value[key] as JsonValue, random));
  return out;
}

function oddDocument(view: StructView, kind: string, random: Random): JsonObject {
  const document = structOf(view, random, random.pick([0.1, 0.3, 0.6]));
  const slots = slotsOf(document);
  const change = (left: number, values: readonly JsonValue[]): void => {
    for (; left > 0 && slots.length > 0; left--) {
      const [holder, key] = random.pick(slots);
      (holder as JsonObject | JsonArray as JsonObject)[key] = cloneJson(random.pick(values));
    }
  };
  change(random.pick([0, 1, 2, 4]), ODD);
  if (random.int(4) === 0) change(1, WRONG);
  if (random.int(3) === 0) {
    const holders = [document, ...slots.map(([holder, key]) => (holder as JsonObject)[key])];
    const holder = random.pick(holders);
    if (typeof holder === 'object' && holder !== null && !Array.isArray(holder))
      setField(holder, random.pick(UNKNOWN), cloneJson(random.pick(ODD)));
  }
  // kind and apiVersion are read before the type is known, with other messages.
  delete document.kind;
  delete document.apiVersion;
  if (random.int(2) === 0) {
    const [group, version, name] = kind.split('/') as [string, string, string];
    document.kind = name;
    document.apiVersion = group === '' ? version : `${group}/${version}`;
  }
  return shuffled(document, random) as JsonObject;
}

function roundTrip(name: string, form: NormalizeForm): Subject {
  return {
    name,
    async prepare(oracle) {
      const books = await oracle.ask([...MORE_KINDS.keys()].map((kind) => ({ op: 'facts', kind })));
      [...MORE_KINDS.values()].forEach((kind, i) => {
        views.set(kind, viewOfFacts(JSON.parse(books[i]?.out ?? 'null') as FactBook));
      });
      for (const [kind, view] of generatedViews()) views.set(kind, view);
    },
    ask: (random) => {
      // Lists are not stored.
      const kind = random.pick([...views.keys()].filter((one) => form === 'decoded' || !one.endsWith('List')));
      return {
        op: 'round-trip',
        kind,
        rule: form,
        doc: writeJson(oddDocument(views.get(kind) as StructView, kind, random)),
      };
    },
    answer: ({ kind = '', doc = '' }) => {
      const read = readJson(doc);
      if (!read.ok) throw new Error('a generated question is not JSON');
      const view = views.get(kind) as StructView;
      const given = read.value as JsonObject;
      const result = normalizeTyped(given, view, form);
      if (!result.ok) return { ok: false, error: result.message };
      const { object } = result;
      // Facts from the oracle do not have kind and apiVersion.
      if (view.field('kind') === undefined && given.kind !== undefined)
        return { ok: true, out: writeJson({ kind: given.kind, apiVersion: given.apiVersion as string, ...object }) };
      return { ok: true, out: writeJson(object) };
    },
  };
}

export const roundTripSubjects: readonly Subject[] = [
  roundTrip('typed round trip', 'decoded'),
  roundTrip('typed round trip through storage', 'stored'),
];
