/** Admission attributes for tests of single plugins. */
import { META_TYPE_VIEWS } from '../apimachinery/facts/meta-type-views.ts';
import type { GroupVersionKind } from '../apimachinery/meta/gvk.ts';
import { nameOf } from '../apimachinery/meta/meta.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { AdmissionAttributes, Operation } from '../server/admission.ts';
import type { VersionDefinition } from '../server/resource/version-definition.ts';

/** A version without a schema: objects stay as they are. */
export function plainVersion({ group, version, kind }: GroupVersionKind): VersionDefinition {
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    unstructured: true,
    type: () => META_TYPE_VIEWS.view('io.k8s.apimachinery.pkg.apis.meta.v1.Status'),
    strategicMerge: false,
    normalize: (object) => ({ ok: true, object }),
    selectableFields: [],
    deprecationWarning: '',
  };
}

export interface TestAttributes extends AdmissionAttributes {
  readonly warnings: string[];
  readonly annotations: Record<string, string>;
}

/** The attributes of a request for `resource` (`pods`, `ingresses.networking.k8s.io`) in the namespace `ns`. */
export function attributesFor(
  operation: Operation,
  resource: string,
  object: JsonObject | undefined,
  more: Partial<AdmissionAttributes> = {},
): TestAttributes {
  const dot = resource.indexOf('.');
  const plural = dot < 0 ? resource : resource.slice(0, dot);
  const group = dot < 0 ? '' : resource.slice(dot + 1);
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  return {
    operation,
    kind: { group, version: 'v1', kind: '' },
    resource: { group, version: 'v1', resource: plural },
    subresource: '',
    name: object === undefined ? '' : nameOf(object),
    namespace: 'ns',
    user: { name: 'someone', uid: '', groups: [], extra: {} },
    dryRun: false,
    object,
    oldObject: undefined,
    options: {},
    deadline: Number.POSITIVE_INFINITY,
    versions: [],
    version: plainVersion({ group, version: 'v1', kind: '' }),
    reinvocation: 'none',
    convert: (converted) => converted,
    namespaceObject: () => undefined,
    state: (_key, create) => create(),
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => {
      annotations[key] = value;
    },
    annotateRequest: (key, value) => {
      annotations[key] = value();
    },
    warnings,
    annotations,
    ...more,
  };
}
