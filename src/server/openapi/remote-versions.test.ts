import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { bytesOf, requestOf } from '../http/requests.fixtures.ts';
import type { GivenVersion } from './given-version.ts';
import { index, json, manager, things } from './openapi-manager.fixtures.ts';
import type { OpenApiManager } from './openapi-manager.ts';

describe('a version of another server', () => {
  const V2: JsonObject = {
    swagger: '2.0',
    paths: { '/apis/remote.example/v1/gears': { get: { operationId: 'listGears', responses: {} } } },
    definitions: {
      'example.remote.v1.Gear': {
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: 'remote.example', version: 'v1', kind: 'Gear' }],
      },
    },
  };
  const GEARS = ['paths', '/apis/remote.example/v1/gears'];

  function publish(made: OpenApiManager, more: Partial<GivenVersion> = {}, name = 'remote.example'): void {
    const path = `apis/${name}/v1`;
    const url = `/openapi/v3/${path}?hash=ABC`;
    made.remote.publish({
      group: name,
      version: 'v1',
      document: { url, answer: (request) => ({ ...OTHER, body: encodeUtf8(request.info.path) }) },
      groupDocument: undefined,
      v2: () => V2,
      ...more,
    });
  }
  const OTHER = { kind: 'bytes', status: 203, headers: {} } as const;

  it('is listed with its own URL, answered by its server, and part of v2', () => {
    const made = manager(things);
    publish(made);
    expect(index(made)['apis/remote.example/v1']).toBe('/openapi/v3/apis/remote.example/v1?hash=ABC');
    const answer = bytesOf(made.handle(requestOf('/openapi/v3/apis/remote.example/v1')));
    expect([answer.status, decodeUtf8(answer.body)]).toEqual([203, '/openapi/v3/apis/remote.example/v1']);
    const v2 = json(made, '/openapi/v2') as { definitions: JsonObject };
    expect(v2).toHaveProperty(GEARS);
    expect(v2.definitions).toHaveProperty(['example.remote.v1.Gear', 'x-kubernetes-group-version-kind']);
    const protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    expect(bytesOf(made.handle(requestOf('/openapi/v2', { accept: protobuf }))).status).toBe(200);
  });

  it('may have a document that this server keeps, and one of its group', () => {
    const made = manager(things);
    const text = encodeUtf8('{"openapi":"3.0.0"}');
    const groupDocument = { url: '/g', answer: () => ({ ...OTHER, body: encodeUtf8('group') }) };
    publish(made, { document: { hash: 'K', json: () => text, protobuf: () => text }, groupDocument });
    expect(index(made)['apis/remote.example/v1']).toBe('/openapi/v3/apis/remote.example/v1?hash=K');
    expect(bytesOf(made.handle(requestOf('/openapi/v3/apis/remote.example/v1'))).headers['etag']).toBe('"K"');
    expect(index(made)['apis/remote.example']).toBe('/g');
    expect(decodeUtf8(bytesOf(made.handle(requestOf('/openapi/v3/apis/remote.example'))).body)).toBe('group');
  });

  it('is absent while it is not known, and disappears', () => {
    const made = manager(things);
    publish(made, { document: undefined, v2: () => undefined });
    expect(index(made)).not.toHaveProperty(['apis/remote.example/v1']);
    expect(json(made, '/openapi/v2')).not.toHaveProperty(GEARS);
    publish(made);
    expect(json(made, '/openapi/v2')).toHaveProperty(GEARS);
    made.remote.remove({ group: 'remote.example', version: 'v1' });
    expect(index(made)).not.toHaveProperty(['apis/remote.example/v1']);
    expect(json(made, '/openapi/v2')).not.toHaveProperty(GEARS);
  });

  it('hides the local version of its name until it is removed', () => {
    const made = manager(things);
    const { group, version } = things;
    const name = `apis/${group}/${version}`;
    const local = { index: index(made)[name], v2: json(made, '/openapi/v2') };
    made.remote.publish({ group, version, document: undefined, groupDocument: undefined, v2: () => V2 });
    expect(index(made)).not.toHaveProperty([name]);
    expect(Object.keys(json(made, '/openapi/v2')['paths'] as JsonObject)).not.toContain(`/${name}/things`);
    made.publish(things);
    expect(index(made)).not.toHaveProperty([name]);
    made.remote.remove(things);
    expect([index(made)[name], json(made, '/openapi/v2')]).toEqual([local.index, local.v2]);
  });

  it('shares equal definitions, and renames definitions and parameters that differ', () => {
    const made = manager(things);
    const before = json(made, '/openapi/v2') as { definitions: Record<string, JsonObject> };
    const [shared = ''] = Object.keys(before.definitions).filter((name) => name.endsWith('.ObjectMeta'));
    const same = { ...before.definitions[shared], description: 'The same type in other words.' };
    const kind = { group: 'remote.example', version: 'v1', kind: 'Other' };
    const definitions = (meta: JsonObject): JsonObject => ({
      [shared]: meta,
      'example.remote.v1.Gear': { type: 'object', properties: { metadata: { $ref: `#/definitions/${shared}` } } },
    });
    const part = (path: string, meta: JsonObject, parameter: string): JsonObject => ({
      paths: { [path]: { parameters: [{ $ref: '#/parameters/p' }], get: { responses: {} } } },
      definitions: definitions(meta),
      parameters: { p: { name: parameter, in: 'query', type: 'string' } },
    });
    publish(made, { v2: () => part('/a', { ...same, 'x-kubernetes-group-version-kind': [kind] }, 'p') }, 'a.example');
    publish(
      made,
      { v2: () => part('/b', { type: 'object', properties: { x: { type: 'string' } } }, 'q') },
      'b.example',
    );
    publish(
      made,
      { v2: () => part('/c', { type: 'object', properties: { x: { type: 'string' } } }, 'q') },
      'c.example',
    );
    publish(made, { v2: () => part('/d', { type: 'string' }, 'r') }, 'd.example');
    const v2 = json(made, '/openapi/v2') as { paths: JsonObject; definitions: JsonObject; parameters: JsonObject };
    expect(v2.definitions[shared]).toEqual({
      ...before.definitions[shared],
      'x-kubernetes-group-version-kind': [kind],
    });
    expect(v2.definitions).toMatchObject({
      'example.remote.v1.Gear': { properties: { metadata: { $ref: `#/definitions/${shared}` } } },
      [`${shared}_v2`]: { properties: { x: { type: 'string' } } },
      [`${shared}_v3`]: { type: 'string' },
    });
    expect(v2.definitions).not.toHaveProperty([`${shared}_v4`]);
    expect(v2.parameters).toMatchObject({ p: { name: 'p' }, p_v2: { name: 'q' }, p_v3: { name: 'r' } });
    expect(v2.paths).toMatchObject({
      '/b': { parameters: [{ $ref: '#/parameters/p_v2' }] },
      '/c': { parameters: [{ $ref: '#/parameters/p_v2' }] },
    });
  });

  it('does not replace paths of this server', () => {
    const made = manager(things);
    const [path = ''] = Object.keys(json(made, '/openapi/v2')['paths'] as JsonObject);
    publish(made, { v2: () => ({ paths: { [path]: {} }, definitions: { Unused: {} } }) });
    const v2 = json(made, '/openapi/v2') as { paths: JsonObject; definitions: JsonObject };
    expect(v2.paths[path]).not.toEqual({});
    expect(v2.definitions).not.toHaveProperty(['Unused']);
  });
});
