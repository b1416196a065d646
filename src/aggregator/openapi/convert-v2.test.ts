import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { convertV2 } from './convert-v2.ts';
import { restrictV2 } from './restrict-v2.ts';

const GEAR_KIND = { group: 'a.example', version: 'v1', kind: 'Gear' };
const DOCUMENT: JsonObject = {
  swagger: '2.0',
  info: { title: 'Gears', version: '1' },
  paths: {
    '/apis/a.example/v1/gears/{name}': {
      parameters: [{ $ref: '#/parameters/name-1' }],
      put: {
        operationId: 'replaceGear',
        consumes: ['application/json', 'application/yaml'],
        produces: ['application/json'],
        parameters: [
          { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/a.Gear' } },
          { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true, description: 'Dry.' },
        ],
        responses: {
          '200': { description: 'OK', schema: { $ref: '#/definitions/a.Gear' } },
          '401': { description: 'No' },
        },
        'x-kubernetes-action': 'put',
        'x-kubernetes-group-version-kind': GEAR_KIND,
      },
    },
    '/apis/a.example/v10/gears': { get: { responses: { '200': { schema: { $ref: '#/definitions/b.Cog' } } } } },
    '/apis/': { get: { responses: {} } },
  },
  definitions: {
    'a.Gear': { type: 'object', properties: { teeth: { $ref: '#/definitions/a.Tooth', description: 'Its teeth.' } } },
    'a.Tooth': { type: 'array', items: { $ref: '#/definitions/a.Gear' } },
    'a.GearOptions': { type: 'object', 'x-kubernetes-group-version-kind': [GEAR_KIND] },
    'b.Cog': { type: 'object' },
  },
  parameters: { 'name-1': { name: 'name', in: 'path', required: true, type: 'string' }, 'unused-1': { name: 'u' } },
};

describe('the part of a v2 document about one version', () => {
  it('has its paths, and the definitions and parameters that they use', () => {
    const part = restrictV2(DOCUMENT, { group: 'a.example', version: 'v1' }) as Record<string, JsonObject>;
    expect(Object.keys(part['paths'] as JsonObject)).toEqual(['/apis/a.example/v1/gears/{name}']);
    expect(Object.keys(part['definitions'] as JsonObject).sort()).toEqual(['a.Gear', 'a.GearOptions', 'a.Tooth']);
    expect(Object.keys(part['parameters'] as JsonObject)).toEqual(['name-1']);
  });

  it('is empty for a document without the version, or of another shape', () => {
    for (const document of [DOCUMENT, { paths: [], definitions: 'x', parameters: { p: 1 } }])
      expect(restrictV2(document, { group: 'c.example', version: 'v1' })).toMatchObject({ paths: {}, definitions: {} });
  });
});

describe('a v2 document as v3', () => {
  it('has bodies, answers and parameters with schemas, and references to components', () => {
    const gear = { $ref: '#/components/schemas/a.Gear' };
    expect(convertV2(restrictV2(DOCUMENT, { group: 'a.example', version: 'v1' }))).toEqual({
      openapi: '3.0.0',
      info: { title: 'Gears', version: '1' },
      paths: {
        '/apis/a.example/v1/gears/{name}': {
          put: {
            operationId: 'replaceGear',
            parameters: [
              { name: 'dryRun', in: 'query', description: 'Dry.', schema: { type: 'string', uniqueItems: true } },
            ],
            requestBody: {
              content: { 'application/json': { schema: gear }, 'application/yaml': { schema: gear } },
              required: true,
            },
            responses: {
              '200': { description: 'OK', content: { 'application/json': { schema: gear } } },
              '401': { description: 'No' },
            },
            'x-kubernetes-action': 'put',
            'x-kubernetes-group-version-kind': GEAR_KIND,
          },
          parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
        },
      },
      components: {
        schemas: {
          'a.Gear': {
            type: 'object',
            properties: {
              teeth: { description: 'Its teeth.', allOf: [{ $ref: '#/components/schemas/a.Tooth' }] },
            },
          },
          'a.Tooth': { type: 'array', items: gear },
          'a.GearOptions': { type: 'object', 'x-kubernetes-group-version-kind': [GEAR_KIND] },
        },
      },
    });
  });
});
