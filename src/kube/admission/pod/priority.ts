/**
 * Priority: a pod gets the number and the policy of its class, or of the default class. Invariant: a number that a client sent is accepted only if it is the one of the
 * class; of all classes at most one is the default.
 */

import { refusal } from '../../../admission/refusal.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { flagAt, numberAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { specOf } from '../../shared/object-fields.ts';
import { podOf } from './pod-subject.ts';

interface Priority {
  readonly className: string;
  readonly value: number | bigint;
  /** '' for a class that has none. */
  readonly preemptionPolicy: string;
}

/** What a pod without a class gets where no class is the default. */
const NO_CLASS: Priority = { className: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

export function priority(classes: Lister): AdmissionPlugin {
  return {
    name: 'Priority',
    resources: ['pods', 'priorityclasses.scheduling.k8s.io'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit: (attributes) => {
      const pod = attributes.resource.resource === 'pods' ? podOf(attributes) : undefined;
      if (pod === undefined) return undefined;
      if (attributes.operation === 'UPDATE') return keepPriority(pod, attributes.oldObject);
      return andThen(classes.fresh(), () => setPriority(classes, attributes, pod));
    },
    validate: (attributes) => {
      const { object, subresource, resource } = attributes;
      if (resource.resource !== 'priorityclasses' || subresource !== '' || object === undefined) return undefined;
      if (!flagAt(object, 'globalDefault')) return undefined;
      return andThen(classes.fresh(), () => checkOnlyDefault(classes, attributes, object));
    },
  };
}

/** Clients that do not know these fields do not lose them. */
function keepPriority(pod: JsonObject, old: JsonObject | undefined): void {
  const spec = objectAt(pod, 'spec');
  const oldSpec = old === undefined ? undefined : objectAt(old, 'spec');
  if (spec === undefined || oldSpec === undefined) return;
  for (const field of ['priority', 'preemptionPolicy']) {
    const value = oldSpec[field];
    if (spec[field] === undefined && value !== undefined) spec[field] = value;
  }
}

function setPriority(classes: Lister, attributes: AdmissionAttributes, pod: JsonObject): MaybePromise<void> {
  const spec = specOf(pod);
  const { className, value, preemptionPolicy } = priorityOf(classes, attributes, textAt(spec, 'priorityClassName'));
  if (className !== '') spec['priorityClassName'] = className;
  const given = spec['priority'];
  if (given !== undefined && Number(given) !== Number(value)) {
    const because = `the integer value of priority (${String(given)}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
    throw refusal(attributes, because);
  }
  spec['priority'] = value;
  if (preemptionPolicy === '') return;
  const policy = spec['preemptionPolicy'];
  if (typeof policy === 'string' && policy !== preemptionPolicy) {
    const because = `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`;
    throw refusal(attributes, because);
  }
  spec['preemptionPolicy'] = preemptionPolicy;
}

function priorityOf(classes: Lister, attributes: AdmissionAttributes, className: string): Priority {
  if (className === '') {
    const found = defaultPriorityClass(classes.list());
    return found === undefined ? NO_CLASS : { ...priorityOfClass(found), className: nameOf(found) };
  }
  const found = classes.get('', className);
  if (found === undefined) throw refusal(attributes, `no PriorityClass with name ${className} was found`);
  return { ...priorityOfClass(found), className };
}

function priorityOfClass(found: JsonObject): Omit<Priority, 'className'> {
  return { value: numberAt(found, 'value'), preemptionPolicy: textAt(found, 'preemptionPolicy') };
}

/** Of several, which two servers may have made at a time, the lowest. */
export function defaultPriorityClass(classes: readonly JsonObject[]): JsonObject | undefined {
  let lowest: JsonObject | undefined;
  for (const found of classes) {
    if (!flagAt(found, 'globalDefault')) continue;
    if (lowest === undefined || numberAt(lowest, 'value') > numberAt(found, 'value')) lowest = found;
  }
  return lowest;
}

function checkOnlyDefault(classes: Lister, attributes: AdmissionAttributes, object: JsonObject): void {
  const present = defaultPriorityClass(classes.list());
  if (present === undefined) return;
  const name = nameOf(present);
  if (attributes.operation === 'UPDATE' && name === nameOf(object)) return;
  throw refusal(attributes, `PriorityClass ${name} is already marked as default. Only one default can exist`);
}
