/** Admission attributes, listers and readers for tests of single plugins. */

import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { isStatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { ObjectReader } from '../../server/own/object-reader.ts';

export { attributesFor, type TestAttributes } from '../../admission/attributes.fixtures.ts';

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
