/**
 * Fuzz targets of the built-in kinds in JSON and protobuf: objects generated from our own type facts are mutated,
 * decoded by the type that they name, and encoded again. Invariant: an accepted object is stable, and both forms are
 * equal.
 */
import { normalizeTyped } from '../../src/apimachinery/codec/typed-normalize.ts';
import { decodeObject, type TypeMeta } from '../../src/apimachinery/protobuf/decode.ts';
import { encodeObject } from '../../src/apimachinery/protobuf/encode.ts';
import { hasBinaryForm } from '../../src/apimachinery/protobuf/plan.ts';
import type { ScalarType, StructView, TypeView } from '../../src/apimachinery/type-view.ts';
import { readJson } from '../../src/base/json-read.ts';
import { equalJson, isJsonObject, type JsonObject, type JsonValue, setField } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { kinds } from '../../src/kinds/facts/all.ts';
import { kindView } from '../../src/kinds/views.ts';
import { createRandom, type Random } from './random.ts';
import type { FuzzTarget } from './targets.ts';

/** The number of objects of each kind; each has other fields. */
const SAMPLES = 2;
const MAX_DEPTH = 9;
/** Leaves room for mutations below the limit for mutated inputs. */
const MAX_SAMPLE_BYTES = 6000;

const SCALARS: Readonly<Record<ScalarType, readonly JsonValue[]>> = {
  string: ['a', 'größe', '', 'example.com/x'],
  boolean: [true, false],
  int32: [1, -1, 0, 2147483647],
  int64: [7, -1, 9007199254740993n],
  uint32: [3, 4294967295],
  uint64: [3, 9007199254740993n],
  float: [0.5],
  double: [0.5, -1e300],
  bytes: ['YQ==', ''],
  quantity: ['100m', '1Gi', '0', '-5', '1e3'],
  'int-or-string': [80, 'http', '25%'],
  time: ['2024-02-29T12:00:00Z', null],
  'micro-time': ['2024-02-29T12:00:00.000001Z', null],
  duration: ['1h0m0s', '0s'],
};

function sampleStruct(view: StructView, random: Random, depth: number): JsonObject {
  const object: JsonObject = {};
  // Fewer fields at greater depth, so that recursive types end and objects stay small.
  for (const field of view.fields()) {
    // The caller sets kind and apiVersion of the object.
    if ((depth === 0 && field.wire === undefined) || random.int(MAX_DEPTH) < depth) continue;
    setField(object, field.name, sample(field.type, random, depth + 1));
  }
  return object;
}

function sample(type: TypeView, random: Random, depth: number): JsonValue {
  switch (type.kind) {
    case 'scalar':
      return random.pick(type.enum ?? SCALARS[type.scalar]);
    case 'struct':
      return sampleStruct(type, random, depth);
    case 'list':
      return Array.from({ length: 1 + random.int(2) }, () => sample(type.items, random, depth));
    case 'map':
      return { a: sample(type.values, random, depth), 'example.com/b': sample(type.values, random, depth) };
    case 'any':
      return type.message === undefined ? { a: 1, b: [null, 'x'] } : sampleStruct(type.message.view(), random, depth);
  }
}

function nameOf({ apiVersion, kind }: TypeMeta): string {
  return `${apiVersion} ${kind}`;
}

function createKinds(): Map<string, StructView> {
  const views = new Map<string, StructView>();
  for (const [group, version, , names] of kinds) {
    for (const kind of names.split(' ')) {
      const view = kindView(group, version, kind);
      const apiVersion = group === '' ? version : `${group}/${version}`;
      // A watch event has no kind of its own.
      if (hasBinaryForm(view) && view.field('kind') !== undefined) views.set(nameOf({ apiVersion, kind }), view);
    }
  }
  return views;
}

/** Returns samples of all kinds in their stored form. */
function createSamples(views: Map<string, StructView>): JsonObject[] {
  const random = createRandom(6);
  const objects: JsonObject[] = [];
  for (const [name, view] of views) {
    const [apiVersion = '', kind = ''] = name.split(' ');
    for (let left = SAMPLES, depth = 0; left > 0; ) {
      const object = { ...sampleStruct(view, random, depth), kind, apiVersion };
      if (writeJson(object).length <= MAX_SAMPLE_BYTES) {
        objects.push(object);
        left--;
      } else depth++;
    }
  }
  return objects;
}

function encode(view: StructView, object: JsonObject): Uint8Array {
  const result = encodeObject(view, object);
  if (!result.ok) throw new Error(`an accepted object cannot be encoded: ${result.error.message}`);
  return result.bytes;
}

function typeMetaOf(object: JsonObject): TypeMeta {
  const { apiVersion, kind } = object;
  return { apiVersion: typeof apiVersion === 'string' ? apiVersion : '', kind: typeof kind === 'string' ? kind : '' };
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Returns the targets. Each call makes new samples. */
export function createKindTargets(): readonly FuzzTarget[] {
  const views = createKinds();
  const resolve = (typeMeta: TypeMeta): StructView | undefined => views.get(nameOf(typeMeta));
  const samples = createSamples(views);
  return [
    {
      name: 'kinds-protobuf',
      corpus: samples.map((object) => encode(resolve(typeMetaOf(object)) as StructView, object)),
      words: [
        'k8s\0',
        ...[...views.keys()].slice(0, 60).flatMap((name) => name.split(' ')),
        Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
        Buffer.from([0x0a, 0x00]),
        Buffer.from([0x12, 0x7f]),
        Buffer.from([0x80, 0x80, 0x80]),
        Buffer.from([0x0b, 0x0c]),
        Buffer.from([0x1a, 0x02, 0x0a, 0x00]),
      ],
      run(input) {
        const decoded = decodeObject(input, resolve, { resolve });
        if (!decoded.ok) return false;
        const view = resolve(typeMetaOf(decoded.value)) as StructView;
        const bytes = encode(view, decoded.value);
        const again = decodeObject(bytes, resolve, { resolve });
        if (!again.ok) throw new Error(`an encoded object cannot be decoded: ${again.error.message}`);
        if (!sameBytes(encode(view, again.value), bytes)) throw new Error('not stable');
        // The object must be the same after a round trip through JSON.
        const json = readJson(writeJson(decoded.value));
        if (!json.ok) throw new Error(`not JSON: ${json.error.message}`);
        const typed = normalizeTyped(json.value as JsonObject, view);
        if (!typed.ok) throw new Error(`its JSON is refused: ${typed.message}`);
        if (!sameBytes(encode(view, typed.object), bytes))
          throw new Error('the object differs after a round trip through JSON');
        return true;
      },
    },
    {
      name: 'kinds-json',
      corpus: samples.map((object) => writeJson(object)),
      words: [
        'null',
        '""',
        '[]',
        '{}',
        '0',
        '-1',
        '1e3',
        '0.5',
        '9223372036854775807',
        'true',
        '"a":',
        ',',
        '}',
        '[{}]',
        '"1Gi"',
      ],
      run(input) {
        const read = readJson(input);
        if (!read.ok || !isJsonObject(read.value)) return false;
        const view = resolve(typeMetaOf(read.value));
        if (view === undefined) return false;
        const typed = normalizeTyped(read.value, view);
        const stored = normalizeTyped(read.value, view, 'stored');
        if (typed.ok !== stored.ok) throw new Error('refused in one form only');
        if (!typed.ok || !stored.ok) return false;
        const decoded = decodeObject(encode(view, typed.object), resolve, { resolve });
        if (!decoded.ok) throw new Error(`an encoded object cannot be decoded: ${decoded.error.message}`);
        if (!equalJson(decoded.value, stored.object))
          throw new Error('the object differs after a round trip through protobuf');
        return true;
      },
    },
  ];
}
