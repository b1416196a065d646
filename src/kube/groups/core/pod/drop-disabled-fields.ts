/**
 * Removal of pod fields whose feature gates are off: stop signals, scheduling groups, projected trust bundles and pod
 * certificates. A field is kept if the stored object already has it.
 */
import { fieldAt, objectAt, objectsAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { allContainers } from './spec/pod-containers.ts';

const GATED_PROJECTIONS = ['clusterTrustBundle', 'podCertificate'] as const;

/** Modifies `spec` in place. `old` is the stored spec; undefined on create. */
export function dropDisabledSpecFields(spec: JsonObject, old: JsonObject | undefined): void {
  for (const projection of GATED_PROJECTIONS) {
    if (old !== undefined && sourcesOf(old).some((source) => fieldAt(source, projection) !== undefined)) continue;
    for (const source of sourcesOf(spec)) if (source[projection] !== undefined) delete source[projection];
  }
  if (spec['schedulingGroup'] !== undefined && old?.['schedulingGroup'] === undefined) delete spec['schedulingGroup'];
  if (old === undefined || !allContainers(old).some(hasStopSignal)) dropStopSignals(spec);
}

function sourcesOf(spec: JsonObject): readonly JsonObject[] {
  return objectsAt(spec, 'volumes').flatMap((volume) => objectsAt(volume, 'projected', 'sources'));
}

function hasStopSignal(container: JsonObject): boolean {
  return fieldAt(container, 'lifecycle', 'stopSignal') !== undefined;
}

function dropStopSignals(spec: JsonObject): void {
  for (const container of allContainers(spec)) {
    const lifecycle = objectAt(container, 'lifecycle');
    if (lifecycle === undefined || lifecycle['stopSignal'] === undefined) continue;
    delete lifecycle['stopSignal'];
    if (Object.keys(lifecycle).length === 0) delete container['lifecycle'];
  }
}

/** Modifies `status` in place. `old` is the stored status. */
export function dropDisabledStatusFields(status: JsonObject, old: JsonObject): void {
  const claims = 'nodeAllocatableResourceClaimStatuses';
  if (status[claims] !== undefined && old[claims] === undefined) delete status[claims];
  if (mountsOf(old).some((mount) => fieldAt(mount, 'volumeStatus') !== undefined)) return;
  for (const mount of mountsOf(status)) if (mount['volumeStatus'] !== undefined) delete mount['volumeStatus'];
}

function mountsOf(status: JsonObject): readonly JsonObject[] {
  return ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].flatMap((list) =>
    objectsAt(status, list).flatMap((container) => objectsAt(container, 'volumeMounts')),
  );
}
