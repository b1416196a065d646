/** The kind Node. Unlike other kinds, a Node may be created with a status. */

import { storedResource } from '../../../../server/resource/stored-resource.ts';
import type { KubeContext, KubeResource } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { setNodeDefaults } from './node-defaults.ts';
import { nodeProxy } from './node-proxy.ts';
import { NODE_STATUS, NODE_STRATEGY } from './node-strategy.ts';
import { nodeTable } from './node-table.ts';

export function nodeResource(kube: KubeContext): KubeResource {
  return {
    definition: storedResource({
      plural: 'nodes',
      shortNames: ['no'],
      scope: 'Cluster',
      storagePrefix: 'minions',
      versions: [
        builtInVersion({
          group: '',
          version: 'v1',
          kind: 'Node',
          setDefaults: setNodeDefaults,
          table: nodeTable,
          selectableFields: ['spec.unschedulable'],
          fieldSources: { 'spec.unschedulable': ['spec.unschedulable', '=false'] },
        }),
      ],
      strategy: NODE_STRATEGY,
      subresources: [nodeProxy(kube), NODE_STATUS],
    }),
  };
}
