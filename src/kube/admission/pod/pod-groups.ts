/**
 * The plugins PodGroupProtection, PodGroupWorkloadExists and JobValidation, for pods that are scheduled as a group.
 * They do nothing unless `--runtime-config` enables scheduling.k8s.io/v1alpha2.
 */

import { refusal } from '../../../admission/refusal.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { finalizersOf, isTerminating, nameOf, ownerReferencesOf, uidOf } from '../../../apimachinery/meta/meta.ts';
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { internalError } from '../../../apimachinery/status/status-catalogue.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import type { AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import type { ObjectReader } from '../../../server/own/object-reader.ts';
import { ensureMeta, specOf } from '../../../server/resource/strategy-fields.ts';

const POD_GROUPS = 'podgroups.scheduling.k8s.io';
const FINALIZER = 'scheduling.k8s.io/podgroup-protection';

/** Adds the finalizer that keeps a PodGroup while its pods run. */
export function podGroupProtection(): AdmissionPlugin {
  return {
    name: 'PodGroupProtection',
    resources: [POD_GROUPS],
    handles: (operation) => operation === 'CREATE',
    admit: ({ object, subresource }) => {
      if (object === undefined || subresource !== '') return;
      const finalizers = finalizersOf(object);
      if (!finalizers.includes(FINALIZER)) ensureMeta(object)['finalizers'] = [...finalizers, FINALIZER];
    },
  };
}

/** Refuses a PodGroup whose Workload, or the template that it names, does not exist. */
export function podGroupWorkloadExists(workloads: ObjectReader): AdmissionPlugin {
  return {
    name: 'PodGroupWorkloadExists',
    resources: [POD_GROUPS],
    handles: (operation) => operation === 'CREATE',
    validate: (attributes) => {
      const { object, subresource, namespace } = attributes;
      const reference = object === undefined ? undefined : objectAt(object, 'spec', 'podGroupTemplateRef', 'workload');
      if (reference === undefined || subresource !== '') return undefined;
      const name = textAt(reference, 'workloadName');
      const template = textAt(reference, 'podGroupTemplateName');
      const because = (text: string): StatusError => refusal(attributes, `PodGroup rejected: ${text}`);
      return andThen(workloads(namespace, name), (answer) => {
        if ('status' in answer) {
          if (answer.status.code === 404) throw because(`Workload ${quote(name)} not found`);
          throw new StatusError(internalError(answer.status.message ?? ''));
        }
        if (isTerminating(answer.object)) throw because(`Workload ${quote(name)} is being deleted`);
        const templates = objectsAt(answer.object, 'spec', 'podGroupTemplates');
        if (!templates.some((item) => textAt(item, 'name') === template))
          throw because(`PodGroupTemplate ${quote(template)} not found in Workload ${quote(name)}`);
      });
    },
  };
}

/**
 * Refuses changes of parallelism for a Job with a gang-scheduled PodGroup. `isServed`: whether PodGroups are served.
 */
export function jobValidation(groups: Lister, isServed: () => boolean): AdmissionPlugin {
  return {
    name: 'JobValidation',
    resources: ['jobs.batch'],
    handles: (operation) => operation === 'UPDATE',
    validate: (attributes) => {
      const { object, oldObject, subresource, namespace } = attributes;
      if (object === undefined || oldObject === undefined || subresource !== '' || !isServed()) return undefined;
      if (equalJson(specOf(object)['parallelism'] ?? null, specOf(oldObject)['parallelism'] ?? null)) return undefined;
      return andThen(groups.fresh(), () => {
        const gang = groupsOf(oldObject, namespace, groups).find(
          (group) => fieldAt(group, 'spec', 'schedulingPolicy', 'gang') !== undefined,
        );
        if (gang === undefined) return;
        const because = `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${quote(nameOf(gang))}`;
        throw refusal(attributes, because);
      });
    },
  };
}

/** Returns the PodGroup that the Job names, otherwise the PodGroups that the Job controls. */
function groupsOf(job: JsonObject, namespace: string, groups: Lister): readonly JsonObject[] {
  const name = textAt(job, 'spec', 'template', 'spec', 'schedulingGroup', 'podGroupName');
  if (name !== '') return [groups.get(namespace, name)].filter((group) => group !== undefined);
  const isOwned = (group: JsonObject): boolean =>
    ownerReferencesOf(group).some((owner) => owner.controller === true && owner.uid === uidOf(job));
  return groups.list(namespace).filter(isOwned);
}
