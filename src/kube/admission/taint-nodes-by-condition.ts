/** The plugin TaintNodesByCondition. It adds the taint not-ready to new nodes. */
import { ensureObject, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    resources: ['nodes'],
    handles: (operation) => operation === 'CREATE',
    admit: ({ object, subresource }) => {
      if (object === undefined || subresource !== '') return;
      const spec = ensureObject(object, 'spec');
      const taints = objectsAt(spec, 'taints');
      const isTainted = taints.some(
        (taint) => textAt(taint, 'key') === NOT_READY.key && textAt(taint, 'effect') === NOT_READY.effect,
      );
      if (!isTainted) spec['taints'] = [...taints, { ...NOT_READY }];
    },
  };
}
