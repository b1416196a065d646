// The kind Foo of foo-definition.yaml: its type, and the token that names it. `npx keelson crd types` writes such types.
import type { Kind } from 'keelson/kinds';
import type { Condition, ObjectMeta } from 'keelson/kinds/meta/v1';

export interface Foo {
  metadata?: ObjectMeta;
  spec: { deploymentName: string; replicas: number };
  status?: { availableReplicas?: number; conditions?: Condition[] };
}

export const Foo: Kind<Foo, 'Namespaced'> = {
  group: 'samplecontroller.k8s.io',
  version: 'v1alpha1',
  kind: 'Foo',
  plural: 'foos',
  scope: 'Namespaced',
};
