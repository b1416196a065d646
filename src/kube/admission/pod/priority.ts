/**
 * The plugin Priority. It sets priority and preemptionPolicy of a pod from its PriorityClass, or from the default
 * class.
 * Invariant: values that a client sent are accepted only if they equal those of the class. At most one class is the
 * default.
 */

import { refusal } from '../../../admission/refusal.ts';
import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { flagAt, numberAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { podOf } from './admitted-pod.ts';

interface Priority {
  readonly className: string;
  readonly value: number | bigint;
  /** '' if the class sets none. */
  readonly preemptionPolicy: string;
}

/** The priority of a pod without a class if there is no default class. */
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

/** Restores the fields on update, for clients that do not know them and drop them. */
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

/** Returns the default class. Concurrent writes may have made several; then the one with the lowest value counts. */
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
