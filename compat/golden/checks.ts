/** The checks of each golden object. A check returns undefined, or the difference in a few words. */
import { normalizeTyped } from '../../src/apimachinery/codec/typed-normalize.ts';
import { readYaml } from '../../src/apimachinery/codec/yaml/yaml.ts';
import { writeYaml } from '../../src/apimachinery/codec/yaml/yaml-write.ts';
import { decodeObject } from '../../src/apimachinery/protobuf/decode.ts';
import { encodeObject } from '../../src/apimachinery/protobuf/encode.ts';
import type { StructView } from '../../src/apimachinery/type-view.ts';
import { readJson } from '../../src/base/json-read.ts';
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import type { Fixture } from './fixtures.ts';

export interface Check {
  readonly name: string;
  run(fixture: Fixture, view: StructView): string | undefined;
}

export const checks: readonly Check[] = [
  {
    name: 'protobuf to JSON',
    run: ({ given, expected }, view) => differJson(fromProtobuf(given.protobuf, view), fromJson(expected.json)),
  },
  {
    name: 'protobuf again',
    run: ({ given, expected }, view) =>
      differBytes(toProtobuf(fromProtobuf(given.protobuf, view), view), expected.protobuf),
  },
  {
    name: 'JSON to protobuf',
    run: ({ given, expected }, view) => differBytes(toProtobuf(fromJson(given.json), view), expected.protobuf),
  },
  {
    name: 'JSON again',
    run: ({ given, expected }, view) =>
      differText(writeJson(normalized(fromJson(given.json), view), { indent: 2 }), expected.json.toString()),
  },
  {
    name: 'YAML to protobuf',
    run: ({ given, expected }, view) => differBytes(toProtobuf(fromYaml(given.yaml), view), expected.protobuf),
  },
  {
    name: 'YAML again',
    run: ({ given, expected }, view) =>
      differText(writeYaml(normalized(fromYaml(given.yaml), view)), expected.yaml.toString()),
  },
];

/** Encodes two golden objects in a list and decodes it, in protobuf. */
export function checkList(fixture: Fixture, list: StructView): string | undefined {
  const item = fromJson(fixture.expected.json);
  delete item['kind'];
  delete item['apiVersion'];
  const apiVersion = fixture.group === '' ? fixture.version : `${fixture.group}/${fixture.version}`;
  const value: JsonObject = {
    kind: `${fixture.kind}List`,
    apiVersion,
    metadata: { resourceVersion: '7' },
    items: [item, item],
  };
  return differJson(fromProtobuf(toProtobuf(value, list), list), value);
}

function fromProtobuf(bytes: Uint8Array, view: StructView): JsonObject {
  const result = decodeObject(bytes, () => view);
  if (!result.ok) throw new Error(`${result.error.message} at byte ${result.error.offset}`);
  return result.value;
}

function toProtobuf(value: JsonObject, view: StructView): Uint8Array {
  const result = encodeObject(view, value);
  if (!result.ok) throw new Error(`${result.error.message} at ${JSON.stringify(result.error.path)}`);
  return result.bytes;
}

function fromJson(bytes: Buffer): JsonObject {
  const result = readJson(bytes);
  if (!result.ok) throw new Error(result.error.message);
  return object(result.value);
}

function fromYaml(bytes: Buffer): JsonObject {
  const result = readYaml(bytes);
  if (!result.ok) throw new Error(result.error.message);
  return object(result.value);
}

function normalized(value: JsonObject, view: StructView): JsonObject {
  const result = normalizeTyped(value, view);
  if (!result.ok) throw new Error(result.message);
  return result.object;
}

function object(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new Error('no object');
  return value;
}

function differJson(ours: JsonObject, theirs: JsonObject): string | undefined {
  return equalJson(ours, theirs) ? undefined : `${firstDifference(ours, theirs, '')}`;
}

function firstDifference(ours: JsonValue | undefined, theirs: JsonValue | undefined, path: string): string {
  const [a, b] = [ours ?? null, theirs ?? null];
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    const [x, y] = [a as JsonObject, b as JsonObject];
    for (const key of new Set([...Object.keys(x), ...Object.keys(y)])) {
      const same = x[key] !== undefined && y[key] !== undefined && equalJson(x[key], y[key]);
      if (!same) return firstDifference(x[key], y[key], `${path}.${key}`);
    }
  }
  return `${path}: ${show(ours)} instead of ${show(theirs)}`;
}

function show(value: JsonValue | undefined): string {
  return value === undefined ? 'nothing' : writeJson(value).slice(0, 80);
}

function differBytes(ours: Uint8Array, theirs: Buffer): string | undefined {
  if (theirs.equals(ours)) return undefined;
  let at = 0;
  while (ours[at] === theirs[at]) at++;
  const from = Math.max(0, at - 24);
  const text = (bytes: Uint8Array): string =>
    JSON.stringify(Buffer.from(bytes.subarray(from, at + 16)).toString('latin1'));
  return `byte ${at}: ${text(ours)} instead of ${text(theirs)}`;
}

function differText(ours: string, theirs: string): string | undefined {
  if (ours === theirs) return undefined;
  const [a, b] = [ours.split('\n'), theirs.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  const line = at < 0 ? a.length : at;
  return `line ${line + 1}: ${JSON.stringify(a[line])} instead of ${JSON.stringify(b[line])}`;
}
