/** A custom resource for tests of the loops. */
import type { Client } from '../../src/client/api.ts';
import type { UntypedObject } from '../../src/client/object-types.ts';
import type { Kind } from '../../src/kinds/kind.ts';

export const WIDGET: Kind<UntypedObject, 'Namespaced'> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

export const DEFINITION: Kind<UntypedObject, 'Cluster'> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

export async function defineWidgets(client: Client): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await client.api(DEFINITION).create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
}
