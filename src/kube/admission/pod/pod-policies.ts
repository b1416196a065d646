/**
 * The plugins AlwaysPullImages, LimitPodHardAntiAffinityTopology and ExtendedResourceToleration. They read only the
 * pod, and are disabled by default.
 */

import { refusal } from '../../../admission/refusal.ts';
import { fieldAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { forbidden } from '../../../apimachinery/status/status-catalogue.ts';
import { formatIssue, notSupported } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { equalJson, isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes, AdmissionPlugin, Operation } from '../../../server/admission.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { isNativeResource } from '../../shared/resource-lists.ts';
import { mainContainers, podOf } from './admitted-pod.ts';

const IMAGES = FieldPath.of('spec');
const onWrite = (operation: Operation): boolean => operation === 'CREATE' || operation === 'UPDATE';

/** Sets the pull policy Always, so that a pod cannot use a private image only because a node has it. */
export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    resources: ['pods'],
    handles: onWrite,
    admit: (attributes) => {
      const pod = podWithNewImages(attributes);
      if (pod === undefined) return;
      for (const { container } of allContainers(specOf(pod))) container['imagePullPolicy'] = 'Always';
      for (const volume of objectsAt(specOf(pod), 'volumes'))
        if (isJsonObject(volume['image'])) volume['image']['pullPolicy'] = 'Always';
    },
    validate: (attributes) => {
      const pod = podWithNewImages(attributes);
      if (pod === undefined) return;
      const spec = specOf(pod);
      const problems: string[] = [];
      const check = (path: FieldPath, policy: string): void => {
        if (policy !== 'Always') problems.push(formatIssue(notSupported(path, policy, ['Always'])));
      };
      for (const { container, path } of allContainers(spec))
        check(path.child('imagePullPolicy'), textAt(container, 'imagePullPolicy'));
      for (const [i, volume] of objectsAt(spec, 'volumes').entries())
        if (volume['image'] !== undefined)
          check(
            IMAGES.child('volumes').index(i).child('image').child('pullPolicy'),
            textAt(volume, 'image', 'pullPolicy'),
          );
      if (problems.length > 0) throw refusal(attributes, problems[0] as string);
    },
  };
}

function podWithNewImages(attributes: AdmissionAttributes): JsonObject | undefined {
  const pod = podOf(attributes);
  const { oldObject } = attributes;
  if (pod === undefined || oldObject === undefined) return pod;
  const old = new Set(allContainers(specOf(oldObject)).map(({ container }) => textAt(container, 'image')));
  return allContainers(specOf(pod)).some(({ container }) => !old.has(textAt(container, 'image'))) ? pod : undefined;
}

function allContainers(spec: JsonObject): readonly { readonly container: JsonObject; readonly path: FieldPath }[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objectsAt(spec, list).map((container, i) => ({ container, path: IMAGES.child(list).index(i) })),
  );
}

/** Refuses required anti-affinity with a topology key other than the hostname. */
export function limitPodHardAntiAffinityTopology(): AdmissionPlugin {
  const allowed = 'kubernetes.io/hostname';
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    resources: ['pods'],
    handles: onWrite,
    validate: (attributes) => {
      const pod = podOf(attributes);
      if (pod === undefined) return;
      const path = ['affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
      for (const term of objectsAt(specOf(pod), ...path)) {
        const key = textAt(term, 'topologyKey');
        if (key === allowed) continue;
        const because = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${allowed} is allowed`;
        throw new StatusError(forbidden({ group: '', resource: 'pods' }, textAt(pod, 'metadata', 'name'), because));
      }
    },
  };
}

/**
 * Adds tolerations for the extended resources that a pod requests. Nodes are tainted with the names of these resources.
 */
export function extendedResourceToleration(): AdmissionPlugin {
  return {
    name: 'ExtendedResourceToleration',
    resources: ['pods'],
    handles: onWrite,
    admit: (attributes) => {
      const pod = podOf(attributes);
      if (pod === undefined) return;
      const spec = specOf(pod);
      const names = new Set<string>();
      for (const container of mainContainers(spec))
        for (const name of Object.keys(fieldAt(container, 'resources', 'requests') ?? {}))
          if (!isNativeResource(name) && !name.startsWith('requests.')) names.add(name);
      for (const key of [...names].sort()) tolerate(spec, { key, operator: 'Exists', effect: 'NoSchedule' });
    },
  };
}

/** Adds the toleration. Replaces one that differs only in tolerationSeconds. */
function tolerate(spec: JsonObject, toleration: JsonObject): void {
  const present = objectsAt(spec, 'tolerations');
  if (present.some((other) => equalJson(other, toleration))) return;
  const isSame = (other: JsonObject): boolean =>
    ['key', 'operator', 'value', 'effect'].every((field) => textAt(other, field) === textAt(toleration, field));
  spec['tolerations'] = present.some(isSame)
    ? present.map((other) => (isSame(other) ? toleration : other))
    : [...present, toleration];
}
