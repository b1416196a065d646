/**
 * The plugin PodTopologyLabels. It copies the zone and region labels of a node to pods that are bound to it, on create
 * and on binding.
 */
import { labelsOf } from '../../../apimachinery/meta/meta.ts';
import { ensureObject, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import type { AdmissionPlugin } from '../../../server/admission.ts';
import type { ObjectReader } from '../../../server/own/object-reader.ts';
import { ensureMeta, specOf } from '../../../server/resource/strategy-fields.ts';

const LABELS = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

export function podTopologyLabels(nodes: ObjectReader): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    resources: ['pods'],
    handles: (operation) => operation === 'CREATE',
    admit: ({ object, subresource }) => {
      if (object === undefined) return undefined;
      let node = '';
      if (subresource === '') node = textAt(specOf(object), 'nodeName');
      else if (subresource === 'binding' && textAt(object, 'target', 'kind') === 'Node')
        node = textAt(object, 'target', 'name');
      if (node === '') return undefined;
      return andThen(nodes('', node), (answer) => {
        if ('status' in answer) {
          if (answer.status.code === 404) return;
          throw new StatusError(answer.status);
        }
        const labels = labelsOf(answer.object);
        for (const label of LABELS) {
          const value = labels[label];
          if (value !== undefined) ensureObject(ensureMeta(object), 'labels')[label] = value;
        }
      });
    },
  };
}
