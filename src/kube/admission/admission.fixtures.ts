/** Admission attributes, listers and readers for tests of single plugins. */
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { isStatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes, AdmissionPlugin, Operation } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { ObjectReader } from '../../server/own/object-reader.ts';

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
    convert: (converted) => converted,
    namespaceObject: () => undefined,
    state: (_key, create) => create(),
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => {
      annotations[key] = value;
    },
    warnings,
    annotations,
    ...more,
  };
}

export function listerOf(...objects: readonly JsonObject[]): Lister {
  const find = (namespace: string, name: string): JsonObject | undefined =>
    objects.find((object) => namespaceOf(object) === namespace && nameOf(object) === name);
  return {
    fresh: () => undefined,
    get: find,
    list: (namespace) => objects.filter((object) => namespace === undefined || namespaceOf(object) === namespace),
    subscribe: (listener) => {
      listener(objects.map((object) => ({ namespace: namespaceOf(object), name: nameOf(object), object })));
      return { stop: () => undefined };
    },
  };
}

export function readerOf(...objects: readonly JsonObject[]): ObjectReader {
  const lister = listerOf(...objects);
  return (namespace, name) => {
    const object = lister.get(namespace, name);
    return object === undefined ? { status: notFound({ group: '', resource: 'things' }, name) } : { object };
  };
}

/** Runs `admit`, then `validate`. Returns the message of the refusal, and undefined if both pass. */
export function verdict(plugin: AdmissionPlugin, attributes: AdmissionAttributes): string | undefined {
  try {
    plugin.admit?.(attributes);
    plugin.validate?.(attributes);
    return undefined;
  } catch (error) {
    if (isStatusError(error)) return error.status.message;
    throw error;
  }
}

/** The pod `p` in `ns` with one container `c`, and with the given fields. */
export function podWith(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  };
}
