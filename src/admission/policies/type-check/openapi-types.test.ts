import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { formatDeclaredType } from '../../../cel/check/format-type.ts';
import type { CelType } from '../../../cel/types.ts';
import { typeOfKind } from './openapi-types.ts';

const KIND = { group: 'g', version: 'v1', kind: 'Tree' };

function typeOf(properties: JsonObject): CelType | undefined {
  const schemas = {
    Tree: { type: 'object', 'x-kubernetes-group-version-kind': [KIND], properties },
    Node: {
      type: 'object',
      properties: { name: { type: 'string' }, next: { allOf: [{ $ref: '#/components/schemas/Node' }] } },
    },
  };
  return typeOfKind({ components: { schemas } }, KIND)?.type;
}

function field(type: CelType | undefined, ...path: readonly string[]): string | undefined {
  const found = path.reduce<CelType | undefined>(
    (at, name) => (at?.kind === 'object' ? at.field(name) : undefined),
    type,
  );
  return found && (found.kind === 'object' ? `{${[...found.fieldNames()].join()}}` : formatDeclaredType(found));
}

describe('the types of an OpenAPI document', () => {
  it('follow references, and end where a type contains itself', () => {
    const type = typeOf({ root: { $ref: '#/components/schemas/Node' } });
    expect(field(type, 'root')).toBe('{name,next}');
    expect(field(type, 'root', 'next')).toBe('{}');
  });

  it('have the names of objects, whatever the schema lists', () => {
    const type = typeOf({});
    expect(field(type, 'kind')).toBe('string');
    expect(field(type, 'metadata')).toBe('{name,generateName}');
  });

  it('leave out values without a type, and lists and maps of them', () => {
    const untyped = { oneOf: [{ type: 'string' }, { type: 'number' }] };
    const type = typeOf({
      quantity: untyped,
      list: { type: 'array', items: untyped },
      map: { type: 'object', additionalProperties: untyped },
      port: { ...untyped, format: 'int-or-string' },
      time: { type: 'string', format: 'date-time' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      if: { type: 'integer' },
    });
    expect(['quantity', 'list', 'map', 'port', 'time', 'labels', '__if__'].map((name) => field(type, name))).toEqual([
      undefined,
      undefined,
      undefined,
      'dyn',
      'google.protobuf.Timestamp',
      'map(string, string)',
      'int',
    ]);
  });

  it('do not have unknown kinds', () => {
    expect(typeOfKind({}, KIND)).toBeUndefined();
  });
});
