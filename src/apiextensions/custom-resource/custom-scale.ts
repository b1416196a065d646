/** The `scale` subresource of custom resources, with replicas and selector at the paths that the definition declares. */
import { metadataOf } from '../../apimachinery/meta/meta.ts';
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, internalError, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { BugError } from '../../base/errors.ts';
import { getField, type JsonObject } from '../../base/json-value.ts';
import { kindView } from '../../kinds/views.ts';
import { jsonPathTable, SCALE_COLUMNS } from '../../server/resource/json-path-columns.ts';
import type { SubresourceDefinition } from '../../server/resource/resource-definition.ts';
import type { ResourceContext } from '../../server/resource/resource-store.ts';
import { scaleSubresource, UNSET_REPLICAS } from '../../server/resource/scale-subresource.ts';
import { typedVersion } from '../../server/resource/typed-version.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import type { CrdScale } from '../crd.ts';
import { CustomVersion } from './custom-version.ts';
import { type AtPath, integerAt, setIntegerAt, textAtPath } from './scale-paths.ts';

export const CUSTOM_SCALE: SubresourceDefinition = scaleSubresource({
  version: typedVersion({
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    view: () => kindView('autoscaling', 'v1', 'Scale'),
    stored: false,
    strategicMerge: false,
    table: () => jsonPathTable(SCALE_COLUMNS),
  }),
  replicasPaths: ({ version }) => customVersion(version).replicasPaths(),
  read: (object, context) => {
    const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(context);
    const wanted = accepted(integerAt(object, specReplicasPath));
    const current = accepted(integerAt(object, statusReplicasPath));
    return {
      replicas: wanted.found ? wanted.value | 0 : undefined,
      currentReplicas: current.value | 0,
      selector: labelSelectorPath === '' ? '' : accepted(textAtPath(object, labelSelectorPath)).value,
    };
  },
  refuseMissing: (context) => {
    const path = JSON.stringify(pathsOf(context).specReplicasPath);
    throw new StatusError(internalError(`the spec replicas field ${path} does not exist`));
  },
  write: (object, scale, context) => {
    const { specReplicasPath } = pathsOf(context);
    const replicas = replicasOf(scale);
    if (replicas === UNSET_REPLICAS) {
      const path = JSON.stringify(specReplicasPath);
      throw new StatusError(badRequest(`the spec replicas field ${path} cannot be empty`));
    }
    const problem = setIntegerAt(object, specReplicasPath, replicas);
    if (problem !== undefined) throw new StatusError(unknown(problem));
    const { resourceVersion } = metadataOf(scale) ?? {};
    if (typeof resourceVersion === 'string' && resourceVersion !== '')
      (object['metadata'] as JsonObject)['resourceVersion'] = resourceVersion;
  },
});

function customVersion(version: VersionDefinition): CustomVersion {
  if (version instanceof CustomVersion) return version;
  throw new BugError(`${version.kind} is not a custom resource`);
}

function pathsOf({ version }: ResourceContext): CrdScale {
  const { scale } = customVersion(version).declared;
  if (scale === undefined) throw new BugError(`version ${version.version} of a custom resource has no scale`);
  return scale;
}

/** Throws the StatusError 500 for a value of another type. */
function accepted<T>(read: AtPath<T>): AtPath<T> & { readonly ok: true } {
  if (!read.ok) throw new StatusError(unknown(read.message));
  return read;
}

function replicasOf(scale: JsonObject): number {
  const spec = objectAt(scale, 'spec');
  return Number((spec && getField(spec, 'replicas')) ?? 0);
}
