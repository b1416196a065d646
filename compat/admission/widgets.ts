/** The custom kind of the suite, and the wait until a server serves it everywhere. */
import { type Answer, ask, type Client } from '../diff/client.ts';
import { waitUntil } from './install-wait.ts';

const GROUP_VERSIONS = ['example.com/v1', 'example.com/v2'] as const;
export const WIDGETS_NAME = 'widgets.example.com';
const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

export const WIDGETS: Readonly<Record<string, unknown>> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: WIDGETS_NAME },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                size: { type: 'integer' },
                color: { type: 'string', default: 'red' },
                tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                steps: { type: 'array', items: { type: 'string' } },
                parts: {
                  type: 'array',
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  items: {
                    type: 'object',
                    required: ['name'],
                    properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
                  },
                },
                limits: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
                whole: {
                  type: 'object',
                  'x-kubernetes-map-type': 'atomic',
                  properties: { a: { type: 'string' }, b: { type: 'string' } },
                },
                free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
            status: { type: 'object', properties: { observedGeneration: { type: 'integer' } } },
          },
        },
      },
    })),
  },
};

/**
 * Waits until the definition is established, its APIServices are available and its schemas are in /openapi/v3.
 * kube-apiserver does each of these in a loop of its own, and mutating policies need the schemas.
 */
export async function widgetsServed(client: Client): Promise<void> {
  const get = (path: string): Promise<Answer> => ask(client, { method: 'GET', path }, NO_VARIABLES);
  const isTrue = async (path: string, type: string): Promise<boolean> => {
    const { status, text } = await get(path);
    if (status !== 200) return false;
    const object = JSON.parse(text) as {
      status?: { conditions?: readonly { type: string; status: string }[] | null };
    };
    const conditions = object.status?.conditions ?? [];
    return conditions.some((condition) => condition.type === type && condition.status === 'True');
  };
  await waitUntil(client.peer.name, async () => {
    const missing: string[] = [];
    const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${WIDGETS_NAME}`;
    if (!(await isTrue(definition, 'Established'))) missing.push('the definition of widgets');
    const { text } = await get('/openapi/v3');
    for (const groupVersion of GROUP_VERSIONS) {
      const [group, version] = groupVersion.split('/');
      const service = `/apis/apiregistration.k8s.io/v1/apiservices/${version}.${group}`;
      if (!(await isTrue(service, 'Available'))) missing.push(`the APIService of ${groupVersion}`);
      if (!text.includes(`"apis/${groupVersion}"`)) missing.push(`the schemas of ${groupVersion}`);
    }
    return missing;
  });
}
