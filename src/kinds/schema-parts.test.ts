import { describe, expect, it } from 'vitest';
import { findTypeMismatch } from '../apimachinery/codec/type-mismatch.ts';
import { normalizeTyped } from '../apimachinery/codec/typed-normalize.ts';
import { decodeMessage } from '../apimachinery/protobuf/decode.ts';
import { encodeMessage } from '../apimachinery/protobuf/encode.ts';
import type { StructView } from '../apimachinery/type-view.ts';
import { decodeBase64, encodeBase64 } from '../base/base64.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import { kindView } from './views.ts';

const view = (): StructView => kindView('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition');

function definition(schema: JsonValue): JsonObject {
  return {
    metadata: { name: 'n' },
    spec: {
      group: 'g',
      names: { plural: 'p', singular: 'k', kind: 'K', listKind: 'KList' },
      scope: 'Cluster',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      conversion: { strategy: 'None' },
    },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  };
}

const EVERYTHING: JsonObject = definition({
  type: 'object',
  default: { a: [1, null] },
  enum: ['x', null, 2],
  items: { type: 'string' },
  properties: { l: { items: [{ type: 'string' }, { maximum: 1.5 }], additionalProperties: true } },
  additionalProperties: false,
  dependencies: { d: ['e'], f: { type: 'object' } },
  additionalItems: { type: 'integer' },
});

/** EVERYTHING as Go's types write it. */
const BYTES =
  'ChEKAW4SABoAIgAqADIAOABCABKSAwoBZxoQCgFwEgFrIgFLKgVLTGlzdCIHQ2x1c3RlcjrnAgoCdjEQARgBItoCCtcCCgASACIAKgZvYmplY3QyADoAQhAKDnsiYSI6WzEsbnVsbF19UABgAHoAkAEAogEFCgMieCKiAQCiAQMKATLCASYKJAoAEgAiACoGc3RyaW5nMgA6AFAAYAB6AJABAKgCALgCAMACAOoBegoBbBJ1CgASACIAKgAyADoAUABgAHoAkAEAwgFPEiQKABIAIgAqBnN0cmluZzIAOgBQAGAAegCQAQCoAgC4AgDAAgASJwoAEgAiACoAMgA6AEkAAAAAAAD4P1AAYAB6AJABAKgCALgCAMACAPIBAggBqAIAuAIAwAIA8gECCACCAggKAWQSAxIBZYICKwoBZhImCiQKABIAIgAqBm9iamVjdDIAOgBQAGAAegCQAQCoAgC4AgDAAgCKAikIARIlCgASACIAKgdpbnRlZ2VyMgA6AFAAYAB6AJABAKgCALgCAMACAKgCALgCAMACADgASgYKBE5vbmVQABoQEggKABIAIgAqABoCdjEgAA==';

function schemaOf(object: JsonObject): JsonObject {
  const { versions } = object['spec'] as { versions: { schema: { openAPIV3Schema: JsonObject } }[] };
  return versions[0]?.schema.openAPIV3Schema as JsonObject;
}

function kept(schema: JsonObject): JsonObject {
  const result = normalizeTyped(definition(schema), view());
  if (!result.ok) throw new Error(result.message);
  return schemaOf(result.object);
}

describe('the either-or types of JSON schemas', () => {
  it('are the messages of Go on the wire', () => {
    const encoded = encodeMessage(view(), EVERYTHING);
    expect(encoded.ok && encodeBase64(Uint8Array.from(encoded.bytes))).toBe(BYTES);
    expect(decodeMessage(view(), decodeBase64(BYTES) as Uint8Array)).toEqual({ ok: true, value: EVERYTHING });
  });

  it('keep what their types have and drop the rest, without saying so', () => {
    expect(kept({ items: { type: 'a', x: 1, items: [{ type: 'b', x: 1 }] }, additionalProperties: { x: 1 } })).toEqual({
      items: { type: 'a', items: [{ type: 'b' }] },
      additionalProperties: {},
    });
    expect(kept({ default: null, example: { anything: [1] }, enum: [null] })).toEqual({
      enum: [null],
      example: { anything: [1] },
    });
  });

  it('refuse what they cannot hold in the words of the decoder', () => {
    const mismatch = (schema: JsonObject): string | undefined => findTypeMismatch(definition(schema), view());
    expect(mismatch({ additionalProperties: 5 })).toBe('boolean or JSON schema expected');
    expect(mismatch({ items: { items: { type: 1 } } })).toBe(
      'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.items.type of type string',
    );
    expect(mismatch({ enum: 'a' })).toMatch(/of type \[\]v1\.JSON$/);
    expect(mismatch({ items: { type: 'a' }, additionalProperties: true })).toBeUndefined();
  });

  it('have names in OpenAPI', () => {
    const names = ['items', 'default', 'additionalProperties', 'dependencies'].map((name) => {
      const type = schemaView().field(name)?.type;
      const part = type?.kind === 'map' ? type.values : type;
      return part?.kind === 'any' ? part.name?.split('.').at(-1) : undefined;
    });
    expect(names).toEqual(['JSONSchemaPropsOrArray', 'JSON', 'JSONSchemaPropsOrBool', 'JSONSchemaPropsOrStringArray']);
  });
});

function schemaView(): StructView {
  let at: StructView = view();
  for (const name of ['spec', 'versions', 'schema', 'openAPIV3Schema']) {
    const type = at.field(name)?.type;
    at = (type?.kind === 'list' ? type.items : type) as StructView;
  }
  return at;
}
