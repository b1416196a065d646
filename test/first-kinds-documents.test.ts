import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../src/base/bytes.ts';
import type { JsonObject, JsonValue } from '../src/base/json-value.ts';
import { VirtualClock } from '../src/base/virtual-clock.ts';
import { typeName, viewOfTypeName } from '../src/kinds/views.ts';
import { startTestKube } from '../src/kube/kube-server.fixtures.ts';
import { DiscoveryManager } from '../src/server/discovery/discovery-manager.ts';
import { bytesOf, requestOf } from '../src/server/http/requests.fixtures.ts';
import { OpenApiManager } from '../src/server/openapi/openapi-manager.ts';
import { VERSION_PATH } from '../src/server/openapi/version-document.ts';

const types = { view: viewOfTypeName, typeName };
const discovery = new DiscoveryManager({ types });
const openapi = new OpenApiManager({ clock: new VirtualClock(), types, paths: [VERSION_PATH] });
const kube = await startTestKube({ discovery, openapi });
await kube.stop();

function openapiDocument(target: string): JsonObject {
  return JSON.parse(decodeUtf8(bytesOf(openapi.handle(requestOf(target))).body));
}

/** Returns every `$ref` in a document. */
function references(value: JsonValue | undefined, found: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const item of value) references(item, found);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === '$ref' && typeof item === 'string') found.add(item);
      else references(item, found);
    }
  }
  return found;
}

function resolve(document: JsonObject, reference: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const part of reference.slice(2).split('/')) value = (value as JsonObject | undefined)?.[part];
  return value;
}

const documents = Object.keys(openapiDocument('/openapi/v3').paths as JsonObject);

describe('the documents of the first kinds', () => {
  it('are one per version, and those of the server', () => {
    expect(documents).toEqual(
      expect.arrayContaining(['api/v1', 'apis', 'apis/rbac.authorization.k8s.io/v1', 'version']),
    );
  });

  it.each([...documents.map((name) => `/openapi/v3/${name}`), '/openapi/v2'])(
    '%s refers only to schemas that it contains',
    (target) => {
      const document = openapiDocument(target);
      const missing = [...references(document)].filter((reference) => resolve(document, reference) === undefined);
      expect(missing).toEqual([]);
    },
  );

  it('have the merge extensions that kubectl uses', () => {
    const account = resolve(
      openapiDocument('/openapi/v3/api/v1'),
      '#/components/schemas/io.k8s.api.core.v1.ServiceAccount',
    );
    expect(account).toMatchObject({
      properties: {
        secrets: {
          type: 'array',
          'x-kubernetes-list-map-keys': ['name'],
          'x-kubernetes-patch-merge-key': 'name',
          'x-kubernetes-patch-strategy': 'merge',
        },
      },
      'x-kubernetes-group-version-kind': [{ group: '', kind: 'ServiceAccount', version: 'v1' }],
    });
  });

  it('have an operation for every verb that discovery shows', () => {
    const actions: Record<string, string> = { create: 'post', update: 'put', watch: 'watchlist' };
    for (const version of discovery.versions()) {
      const name = version.group === '' ? `api/${version.version}` : `apis/${version.group}/${version.version}`;
      const paths = openapiDocument(`/openapi/v3/${name}`).paths as Record<string, Record<string, JsonObject>>;
      for (const { plural, verbs } of version.resources) {
        const items = Object.entries(paths).filter(([path]) => new RegExp(`/${plural}(/\\{name\\})?$`).test(path));
        const found = new Set(
          items.flatMap(([, item]) => Object.values(item).map((one) => one['x-kubernetes-action'])),
        );
        for (const verb of verbs) expect(found, `${name} ${plural}`).toContain(actions[verb] ?? verb);
      }
    }
  });
});

describe('discovery of the first kinds', () => {
  it.each(['/api', '/apis', '/api/v1', '/apis/coordination.k8s.io', '/apis/coordination.k8s.io/v1'])(
    '%s has a protobuf form',
    (path) => {
      const accept = 'application/vnd.kubernetes.protobuf';
      expect(decodeUtf8(bytesOf(discovery.handle(requestOf(path, { accept }))).body).slice(0, 3)).toBe('k8s');
    },
  );

  it.each(['/api', '/apis'])('%s has an aggregated protobuf form', (path) => {
    const accept = 'application/vnd.kubernetes.protobuf;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io';
    const { headers, body } = bytesOf(discovery.handle(requestOf(path, { accept })));
    expect(headers['content-type']).toMatch(/^application\/vnd.kubernetes.protobuf;g=apidiscovery/);
    expect(decodeUtf8(body)).toContain('APIGroupDiscoveryList');
  });
});
