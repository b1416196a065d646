/**
 * `scale`: the replicas of a custom resource as an autoscaling/v1 Scale, read from and written to the paths that its definition declares. Invariant: a write is an update of the
 * custom resource itself, by its rules; nothing but the replicas changes.
 */
import { normalizeTyped } from '../../apimachinery/codec/typed-normalize.ts';
import { metadataOf } from '../../apimachinery/meta/meta.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, internalError, unknown } from '../../apimachinery/status/status-catalogue.ts';
import { BugError } from '../../base/errors.ts';
import { getField, isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { writeJsonBytes } from '../../base/json-write.ts';
import { andThen } from '../../base/maybe-promise.ts';
import { kindView } from '../../kinds/views.ts';
import { parseObject } from '../../server/registry/stored-object.ts';
import { jsonPathTable, SCALE_COLUMNS } from '../../server/resource/json-path-columns.ts';
import type { SubresourceDefinition } from '../../server/resource/resource-definition.ts';
import type {
  ObjectBytes,
  ObjectChange,
  ResourceContext,
  ResourceStore,
  UpdateRequest,
} from '../../server/resource/resource-store.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import type { CrdScale } from '../crd.ts';
import { CustomVersion } from './custom-version.ts';
import { integerAt, setIntegerAt, textAtPath } from './scale-paths.ts';

/** What the replicas of an object without any are while a change is made: a change that leaves them so has none to set. */
const UNSET_REPLICAS = -2147483648;

const SCALE: VersionDefinition = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  listKind: 'ScaleList',
  type: () => kindView('autoscaling', 'v1', 'Scale'),
  protobuf: true,
  strategicMerge: false,
  normalize: (object) => normalizeTyped(object, kindView('autoscaling', 'v1', 'Scale')),
  table: () => jsonPathTable(SCALE_COLUMNS),
  selectableFields: [],
  deprecationWarning: '',
};

export const SCALE_SUBRESOURCE: SubresourceDefinition = {
  name: 'scale',
  version: SCALE,
  store: (parent) => scaleStore(parent),
};

function scaleStore(parent: ResourceStore): ResourceStore {
  return {
    get: (context, options) => {
      if (parent.get === undefined) throw new BugError('a custom resource cannot be read');
      return andThen(parent.get(context, options), (bytes) => {
        const { scale, hasReplicas } = scaleOf(parseObject(bytes, context.name), pathsOf(context));
        if (hasReplicas) return writeJsonBytes(scale);
        const path = JSON.stringify(pathsOf(context).specReplicasPath);
        throw new StatusError(internalError(`the spec replicas field ${path} does not exist`));
      });
    },
    update: (context, change, request) => {
      if (parent.update === undefined) throw new BugError('a custom resource cannot be updated');
      const paths = pathsOf(context);
      return andThen(
        parent.update(context, throughScale(change, paths), validatingScale(request, paths)),
        (answer) => ({
          ...answer,
          bytes: shownScale(answer.bytes, context, paths),
        }),
      );
    },
  };
}

function pathsOf({ version }: ResourceContext): CrdScale {
  const scale = version instanceof CustomVersion ? version.declared.scale : undefined;
  if (scale === undefined) throw new BugError(`${version.version} has no scale`);
  return scale;
}

function shownScale(bytes: ObjectBytes, { name }: ResourceContext, paths: CrdScale): ObjectBytes {
  return writeJsonBytes(scaleOf(parseObject(bytes, name), paths).scale);
}

/** The change of a Scale as one of the object behind it. */
function throughScale(change: ObjectChange, paths: CrdScale): ObjectChange {
  return {
    preconditions: change.preconditions,
    apply: (current) => {
      if (current === undefined) throw new BugError('an update without creation got no object');
      const { scale, hasReplicas } = scaleOf(current, paths);
      if (!hasReplicas) scale['spec'] = { replicas: UNSET_REPLICAS };
      return andThen(change.apply(scale), (changed) => {
        const replicas = replicasOf(changed);
        if (replicas === UNSET_REPLICAS) {
          const path = JSON.stringify(paths.specReplicasPath);
          throw new StatusError(badRequest(`the spec replicas field ${path} cannot be empty`));
        }
        const problem = setIntegerAt(current, paths.specReplicasPath, replicas);
        if (problem !== undefined) throw new StatusError(unknown(problem));
        const { resourceVersion } = metadataOf(changed) ?? {};
        if (typeof resourceVersion === 'string' && resourceVersion !== '')
          (current['metadata'] as JsonObject)['resourceVersion'] = resourceVersion;
        return current;
      });
    },
  };
}

function replicasOf(scale: JsonObject): number {
  const spec = getField(scale, 'spec');
  return Number((isJsonObject(spec) ? getField(spec, 'replicas') : undefined) ?? 0);
}

function validatingScale(request: UpdateRequest, paths: CrdScale): UpdateRequest {
  const asScale = (object: JsonObject): JsonObject => scaleOf(object, paths).scale;
  return {
    ...request,
    forceAllowCreate: false,
    validateCreate: (object) => request.validateCreate(asScale(object)),
    validateUpdate: (object, old) => request.validateUpdate(asScale(object), asScale(old)),
  };
}

/** Throws the 500 for values that are no replicas and no selector. */
function scaleOf(object: JsonObject, paths: CrdScale): { readonly scale: JsonObject; readonly hasReplicas: boolean } {
  const desired = integerAt(object, paths.specReplicasPath);
  if (!desired.ok) throw new StatusError(unknown(desired.message));
  const actual = integerAt(object, paths.statusReplicasPath);
  if (!actual.ok) throw new StatusError(unknown(actual.message));
  const selector =
    paths.labelSelectorPath === '' ? { ok: true as const, value: '' } : textAtPath(object, paths.labelSelectorPath);
  if (!selector.ok) throw new StatusError(unknown(selector.message));
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(object) ?? {};
  const metadata: JsonObject = {};
  for (const [field, value] of Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }))
    if (value !== undefined) metadata[field] = value;
  const scale: JsonObject = {
    kind: SCALE.kind,
    apiVersion: `${SCALE.group}/${SCALE.version}`,
    metadata,
    spec: desired.value === 0 ? {} : { replicas: desired.value | 0 },
    status: { replicas: actual.value | 0, ...(selector.value === '' ? {} : { selector: selector.value }) },
  };
  return { scale, hasReplicas: desired.found };
}
