/** How Pods begin, change and end. Invariant: pure; the rules of what a Pod must be are in the files beside. */
import type { DeleteOptions } from '../../../apimachinery/meta/delete-options.ts';
import { fieldAt, numberAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { GraceDecision } from '../../../server/registry/definition.ts';
import { ensureMeta } from '../../object-fields.ts';
import { qosClassOf } from './pod-resources.ts';

export function preparePodForCreate(pod: JsonObject): void {
  ensureMeta(pod)['generation'] = 1;
  pod['status'] = { phase: 'Pending', qosClass: qosClassOf(objectAt(pod, 'spec') ?? {}) };
}

/** A pod that no node runs, or that has ended, goes at once. */
export function podGrace(pod: JsonObject, options: DeleteOptions): GraceDecision {
  const phase = textAt(pod, 'status', 'phase');
  if (textAt(pod, 'spec', 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded')
    return { gracePeriodSeconds: 0 };
  const asked = options.gracePeriodSeconds ?? Number(numberAt(pod, 'spec', 'terminationGracePeriodSeconds'));
  return { gracePeriodSeconds: Number(asked) < 0 ? 1 : Number(asked) };
}

export function podSpecOf(pod: JsonObject): JsonObject {
  const spec = fieldAt(pod, 'spec');
  return (spec ?? {}) as JsonObject;
}
