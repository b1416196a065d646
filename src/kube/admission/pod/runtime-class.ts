/**
 * The plugin RuntimeClass. It sets overhead, node selector and tolerations of a pod from its RuntimeClass.
 * Invariant: the overhead of a stored pod equals that of its class, and is absent if the class has none.
 */

import { refusal } from '../../../admission/refusal.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { compareQuantity } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { cloneJson, type JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import { findObject } from '../../../server/own/find-object.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { amountsOf } from '../../shared/resource-lists.ts';
import { podOf } from './admitted-pod.ts';
import { mergeTolerations } from './tolerations.ts';

type Use = (spec: JsonObject, runtimeClass: JsonObject | undefined) => void;

export function runtimeClass(classes: Lister): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    resources: ['pods'],
    handles: (operation) => operation === 'CREATE',
    admit: (attributes) =>
      withClass(classes, attributes, (spec, found) => {
        if (found === undefined) return;
        setOverhead(attributes, spec, found);
        setScheduling(attributes, spec, found);
      }),
    validate: (attributes) =>
      withClass(classes, attributes, (spec, found) => {
        const overhead = found === undefined ? undefined : objectAt(found, 'overhead');
        if (overhead !== undefined) checkOverhead(attributes, spec, overhead);
        else if (spec['overhead'] !== undefined)
          throw refusal(
            attributes,
            'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
          );
      }),
  };
}

function withClass(classes: Lister, attributes: AdmissionAttributes, use: Use): MaybePromise<void> {
  const pod = podOf(attributes);
  if (pod === undefined) return undefined;
  const spec = specOf(pod);
  if (spec['runtimeClassName'] === undefined) return use(spec, undefined);
  const name = textAt(spec, 'runtimeClassName');
  return andThen(findObject(classes, '', name), (found) => {
    if (found === undefined) throw refusal(attributes, `pod rejected: RuntimeClass ${quote(name)} not found`);
    use(spec, found);
  });
}

function setOverhead(attributes: AdmissionAttributes, spec: JsonObject, found: JsonObject): void {
  const overhead = objectAt(found, 'overhead');
  if (overhead === undefined) return;
  if (Object.keys(objectAt(spec, 'overhead') ?? {}).length > 0) checkOverhead(attributes, spec, overhead);
  const fixed = objectAt(overhead, 'podFixed');
  if (fixed === undefined) delete spec['overhead'];
  else spec['overhead'] = cloneJson(fixed);
}

function checkOverhead(attributes: AdmissionAttributes, spec: JsonObject, overhead: JsonObject): void {
  const fixed = amountsOf(fieldAt(overhead, 'podFixed'));
  const given = amountsOf(spec['overhead']);
  const isEqual =
    fixed.size === given.size &&
    [...fixed].every(([name, amount]) => {
      const other = given.get(name);
      return other !== undefined && compareQuantity(amount, other) === 0;
    });
  if (!isEqual) throw refusal(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setScheduling(attributes: AdmissionAttributes, spec: JsonObject, found: JsonObject): void {
  const scheduling = objectAt(found, 'scheduling');
  if (scheduling === undefined) return;
  const selector = objectAt(spec, 'nodeSelector') ?? {};
  const merged: JsonObject = { ...selector };
  for (const [key, value] of Object.entries(objectAt(scheduling, 'nodeSelector') ?? {})) {
    const own = selector[key];
    if (own !== undefined && own !== value) {
      const because = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}; pod.spec.nodeSelector[${key}] = ${String(own)}`;
      throw refusal(attributes, because);
    }
    merged[key] = value;
  }
  if (Object.keys(merged).length > 0) spec['nodeSelector'] = merged;
  const tolerations = mergeTolerations(
    objectsAt(spec, 'tolerations'),
    cloneJson([...objectsAt(scheduling, 'tolerations')]),
  );
  if (tolerations.length > 0) spec['tolerations'] = tolerations;
}
