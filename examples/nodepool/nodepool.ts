// The kind NodePool of nodepool-definition.yaml: its type, and the token that names it.
import type { Kind } from 'keelson/kinds';
import type { Condition, ObjectMeta } from 'keelson/kinds/meta/v1';

export interface NodePool {
  metadata?: ObjectMeta;
  spec: { replicas: number; version: string };
  status?: {
    replicas?: number;
    readyReplicas?: number;
    updatedReplicas?: number;
    selector?: string;
    conditions?: Condition[];
  };
}

export const NodePool: Kind<NodePool, 'Cluster'> = {
  group: 'pools.example.com',
  version: 'v1',
  kind: 'NodePool',
  plural: 'nodepools',
  scope: 'Cluster',
};
