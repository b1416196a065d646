// The kind Network of network-definition.yaml: its type, and the token that names it.
import type { Kind } from 'keelson/kinds';
import type { Condition, ObjectMeta } from 'keelson/kinds/meta/v1';

export interface Network {
  metadata?: ObjectMeta;
  spec: { cidr: string; gateway: string };
  status?: { phase?: 'Ready' | 'Invalid' | 'Overlapping'; addresses?: number; conditions?: Condition[] };
}

export const Network: Kind<Network, 'Namespaced'> = {
  group: 'samplecrd.k8s.io',
  version: 'v1',
  kind: 'Network',
  plural: 'networks',
  scope: 'Namespaced',
};
