/** The configurations of the plugins PodNodeSelector and PodTolerationRestriction for the whole cluster. */
import {
  type ConfigKind,
  configType,
  listType,
  scalarType,
  structType,
  TEXT,
} from '../../../apimachinery/codec/config-object.ts';
import { decodeStrictYaml } from '../../../apimachinery/codec/strict.ts';
import { objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import { isStatusError } from '../../../apimachinery/status/status.ts';
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { validateTolerations } from '../../groups/core/pod/spec/validate-tolerations.ts';
import { type Labels, parseNodeSelector } from './node-selector.ts';

/** Node selectors by the key of the file: `clusterDefaultNodeSelector`, or the name of a namespace. */
export type NodeSelectors = ReadonlyMap<string, Labels>;

export type DecodedNodeSelectors =
  | { readonly ok: true; readonly selectors: NodeSelectors }
  | { readonly ok: false; readonly problem: string };

const SELECTORS = 'podNodeSelectorPluginConfig';

/** Decodes the configuration of PodNodeSelector, which has no apiVersion. Keys are compared as Go compares them. */
export function decodeNodeSelectors(text: string): DecodedNodeSelectors {
  const read = decodeStrictYaml(text, { fieldValidation: 'Strict' });
  if (!read.ok) return { ok: false, problem: read.error.message };
  if (read.problems.length > 0) return { ok: false, problem: read.problems.join(', ') };
  const given = isJsonObject(read.value) ? read.value : {};
  const [key = '', ...others] = Object.keys(given);
  const found = given[key];
  if (others.length > 0 || key.toLowerCase() !== SELECTORS.toLowerCase() || !isJsonObject(found))
    return { ok: false, problem: `the configuration must be an object with the field ${SELECTORS}, an object` };
  const selectors = new Map<string, Labels>();
  for (const [name, value] of Object.entries(found)) {
    if (typeof value !== 'string')
      return { ok: false, problem: `${SELECTORS}.${name} must be a string such as a=b,c=d` };
    try {
      selectors.set(name, parseNodeSelector(value));
    } catch (caught) {
      if (!isStatusError(caught)) throw caught;
      return { ok: false, problem: `${SELECTORS}.${name}: ${caught.message}` };
    }
  }
  return { ok: true, selectors };
}

/** The tolerations of pods in namespaces without annotations of their own. */
export interface TolerationConfiguration {
  readonly defaults: readonly JsonObject[];
  /** Empty: every toleration is allowed. */
  readonly allowed: readonly JsonObject[];
}

const TOLERATION = structType('v1.Toleration', {
  key: TEXT,
  operator: TEXT,
  value: TEXT,
  effect: TEXT,
  tolerationSeconds: scalarType('int64'),
});

export const TOLERATION_CONFIGURATION: ConfigKind = {
  kind: 'Configuration',
  apiVersions: ['podtolerationrestriction.admission.k8s.io/v1alpha1'],
  strict: false,
  view: configType('v1alpha1.Configuration', { default: listType(TOLERATION), whitelist: listType(TOLERATION) }),
};

export function validateTolerationConfiguration(configuration: JsonObject): readonly FieldIssue[] {
  return ['default', 'whitelist'].flatMap((name) =>
    validateTolerations(objectsAt(configuration, name), FieldPath.of(name)),
  );
}

/** Reads a decoded configuration that is valid. */
export function tolerationConfigurationOf(configuration: JsonObject): TolerationConfiguration {
  return { defaults: objectsAt(configuration, 'default'), allowed: objectsAt(configuration, 'whitelist') };
}
