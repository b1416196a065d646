/** Pods and what is done to them. Invariant: how they work is in `rules/pod/`. */

import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import type { ResourceDefinition, Strategy } from '../../server/registry/definition.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../built-in.ts';
import type { KubeResource } from '../kube-world.ts';
import { setPodDefaults, setTemplateDefaults } from '../rules/pod/pod-defaults.ts';
import { podGrace, preparePodForCreate } from '../rules/pod/pod-strategy.ts';
import { podTable, podTemplateTable } from '../rules/pod/pod-table.ts';

export function podResources(): readonly KubeResource[] {
  return [{ definition: PODS }, { definition: POD_TEMPLATES }];
}

const POD_FIELDS = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
] as const;

const POD_STRATEGY: Strategy = builtInStrategy({
  nameRule: nameIsDnsSubdomain,
  prepareForCreate: preparePodForCreate,
  grace: podGrace,
  returnsDeletedObject: true,
});

const PODS: ResourceDefinition = storedResource({
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: '',
      version: 'v1',
      kind: 'Pod',
      setDefaults: setPodDefaults,
      table: podTable,
      selectableFields: POD_FIELDS,
    }),
  ],
  strategy: POD_STRATEGY,
});

const POD_TEMPLATES: ResourceDefinition = storedResource({
  plural: 'podtemplates',
  scope: 'Namespaced',
  versions: [
    builtInVersion({
      group: '',
      version: 'v1',
      kind: 'PodTemplate',
      setDefaults: (object) => {
        const template = objectAt(object, 'template');
        if (template !== undefined) setTemplateDefaults(template);
      },
      table: podTemplateTable,
    }),
  ],
  strategy: builtInStrategy({ nameRule: nameIsDnsSubdomain }),
});
