/** The `scale` subresource of built-in kinds: their replicas as an autoscaling/v1 Scale. */
import type { Path } from '../../../apimachinery/field-set/path-element.ts';
import type { ReplicasPaths } from '../../../apimachinery/managed-fields/scale-handler.ts';
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatLabelSelector, labelSelectorOfLabels } from '../../../apimachinery/selectors/label-selector.ts';
import { labelSelectorFromObject } from '../../../apimachinery/selectors/label-selector-object.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest, conflict, invalid } from '../../../apimachinery/status/status-catalogue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { BugError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { SubresourceDefinition } from '../../../server/resource/resource-definition.ts';
import { scaleSubresource } from '../../../server/resource/scale-subresource.ts';
import { ensureMeta, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { VersionDefinition } from '../../../server/resource/version-definition.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { labelsAt, selectorAt } from '../../shared/label-selector.ts';
import { int32At, validateNonnegative } from '../../shared/numbers.ts';
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

const REPLICAS: Path = ['spec', 'replicas'];
const CORE_REPLICAS: ReplicasPaths = new Map([['v1', REPLICAS]]);
/** Entries may name versions that are not served any more. */
const APPS_REPLICAS: ReplicasPaths = new Map(['v1', 'v1beta1', 'v1beta2'].map((name) => [`apps/${name}`, REPLICAS]));

/** The subresource of a kind that has `spec.replicas`, `status.replicas` and `spec.selector`. */
export function builtInScale(options: ScaleOptions): SubresourceDefinition {
  const replicasPaths = options.group === '' ? CORE_REPLICAS : APPS_REPLICAS;
  return scaleSubresource({
    version: SCALE,
    replicasPaths: () => replicasPaths,
    read: (object) => ({
      replicas: int32At(object, 'spec', 'replicas') ?? 0,
      currentReplicas: int32At(object, 'status', 'replicas') ?? 0,
      selector: options.selector === 'labels' ? labelsText(object) : selectorText(object),
    }),
    write: (object, scale) => {
      checkScale(scale, object, options);
      const spec = objectAt(object, 'spec');
      if (spec === undefined) throw new BugError(`${options.plural} have no spec`);
      spec['replicas'] = int32At(scale, 'spec', 'replicas') ?? 0;
      ensureMeta(object)['resourceVersion'] = textAt(scale, 'metadata', 'resourceVersion');
    },
  });
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

/** Throws the StatusError 400 for an invalid selector. */
function selectorText(object: JsonObject): string {
  const converted = labelSelectorFromObject(selectorAt(object, 'spec', 'selector'));
  if (!converted.ok) throw new StatusError(badRequest(converted.message));
  return formatLabelSelector(converted.selector);
}

function labelsText(object: JsonObject): string {
  return formatLabelSelector(labelSelectorOfLabels(labelsAt(object, 'spec', 'selector') ?? {}));
}
