/**
 * The `scale` subresource of built-in kinds: their replicas as an autoscaling/v1 Scale. Invariant: a write is an update
 * of the parent object under the strategy of its kind, and changes only spec.replicas.
 */
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatLabelSelector, labelSelectorOfLabels } from '../../../apimachinery/selectors/label-selector.ts';
import { labelSelectorFromObject } from '../../../apimachinery/selectors/label-selector-object.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest, conflict, invalid } from '../../../apimachinery/status/status-catalogue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { BugError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { writeJsonBytes } from '../../../base/json-write.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import { parseObject } from '../../../server/registry/stored-object.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { SubresourceDefinition } from '../../../server/resource/resource-definition.ts';
import type {
  ObjectBytes,
  ObjectChange,
  ResourceStore,
  UpdateRequest,
} from '../../../server/resource/resource-store.ts';
import type { VersionDefinition } from '../../../server/resource/version-definition.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { labelsAt, selectorAt } from '../../shared/label-selector.ts';
import { int32At, validateNonnegative } from '../../shared/numbers.ts';
import { ensureMeta, metaFacts } from '../../shared/object-fields.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';

export interface ScaleOptions {
  readonly group: string;
  readonly plural: string;
  /** The type of `spec.selector`: a LabelSelector, or a map of labels. */
  readonly selector: 'object' | 'labels';
}

const SCALE: VersionDefinition = builtInVersion({
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  stored: false,
  table: tableOf(
    { ...NAME, format: '' },
    column('Desired', 'Pods that are wanted.', (scale) => int32At(scale, 'spec', 'replicas') ?? 0, { type: 'integer' }),
    column('Available', 'Pods that exist.', (scale) => int32At(scale, 'status', 'replicas') ?? 0, { type: 'integer' }),
    AGE,
  ),
});

/** The metadata fields of a Scale. */
const SHOWN = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const;

export function scaleSubresource(options: ScaleOptions): SubresourceDefinition {
  return { name: 'scale', version: SCALE, store: (parent) => scaleStore(parent, options) };
}

function scaleStore(parent: ResourceStore, options: ScaleOptions): ResourceStore {
  const shown = (bytes: ObjectBytes, name: string): ObjectBytes =>
    writeJsonBytes(scaleOf(parseObject(bytes, name), options));
  return {
    get: (context, get) => {
      if (parent.get === undefined) throw new BugError(`${options.plural} cannot be read`);
      return andThen(parent.get(context, get), (bytes) => shown(bytes, context.name));
    },
    update: (context, change, request) => {
      if (parent.update === undefined) throw new BugError(`${options.plural} cannot be updated`);
      const updated = parent.update(context, throughScale(change, options), validatingScale(request, options));
      return andThen(updated, (answer) => ({ ...answer, bytes: shown(answer.bytes, context.name) }));
    },
  };
}

/** Returns a change of the parent object that applies `change` to its Scale. */
function throughScale(change: ObjectChange, options: ScaleOptions): ObjectChange {
  return {
    preconditions: change.preconditions,
    apply: (current) => {
      if (current === undefined) throw new BugError('an update without creation got no object');
      return andThen(change.apply(scaleOf(current, options)), (scale) => {
        checkScale(scale, current, options);
        const spec = objectAt(current, 'spec');
        if (spec === undefined) throw new BugError(`${options.plural} have no spec`);
        spec['replicas'] = int32At(scale, 'spec', 'replicas') ?? 0;
        ensureMeta(current)['resourceVersion'] = textAt(scale, 'metadata', 'resourceVersion');
        return current;
      });
    },
  };
}

/** Throws the StatusError 422 for an invalid Scale, and 409 for a Scale whose uid is not that of the object. */
function checkScale(scale: JsonObject, object: JsonObject, { group, plural }: ScaleOptions): void {
  const name = textAt(object, 'metadata', 'name');
  const issues = [
    ...validateKubeMeta(metaFacts(scale), { namespaced: true, name: nameIsDnsSubdomain }, FieldPath.of('metadata')),
    ...validateNonnegative(int32At(scale, 'spec', 'replicas'), FieldPath.of('spec', 'replicas')),
  ];
  if (issues.length > 0) throw new StatusError(invalid({ group: SCALE.group, kind: SCALE.kind }, name, issues));
  const uid = textAt(scale, 'metadata', 'uid');
  const own = textAt(object, 'metadata', 'uid');
  if (uid === '' || uid === own) return;
  const because = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${own}`;
  throw new StatusError(conflict({ group, resource: `${plural}/scale` }, name, because));
}

function validatingScale(request: UpdateRequest, options: ScaleOptions): UpdateRequest {
  const asScale = (object: JsonObject): JsonObject => scaleOf(object, options);
  return {
    ...request,
    forceAllowCreate: false,
    validateCreate: (object) => request.validateCreate(asScale(object)),
    validateUpdate: (object, old) => request.validateUpdate(asScale(object), asScale(old)),
  };
}

/** Returns the Scale of an object. Throws the StatusError 400 for an invalid selector. */
function scaleOf(object: JsonObject, { selector }: ScaleOptions): JsonObject {
  const own = objectAt(object, 'metadata') ?? {};
  const metadata: JsonObject = {};
  for (const name of SHOWN) if (own[name] !== undefined) metadata[name] = own[name];
  const replicas = int32At(object, 'spec', 'replicas') ?? 0;
  const text = selector === 'labels' ? labelsText(object) : selectorText(object);
  return {
    kind: SCALE.kind,
    apiVersion: `${SCALE.group}/${SCALE.version}`,
    metadata,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: int32At(object, 'status', 'replicas') ?? 0, ...(text === '' ? {} : { selector: text }) },
  };
}

function selectorText(object: JsonObject): string {
  const converted = labelSelectorFromObject(selectorAt(object, 'spec', 'selector'));
  if (!converted.ok) throw new StatusError(badRequest(converted.message));
  return formatLabelSelector(converted.selector);
}

function labelsText(object: JsonObject): string {
  return formatLabelSelector(labelSelectorOfLabels(labelsAt(object, 'spec', 'selector') ?? {}));
}
