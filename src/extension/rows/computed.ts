/**
 * Collections that are computed, such as metrics. `computed` makes a store that calls the program for each request and
 * has no watch. `computedRows` makes read-only rows, which the server polls and mirrors: they can be watched, and may
 * be as old as the poll interval.
 */
import { matchesFields } from '../../apimachinery/selectors/field-selector.ts';
import { matchesLabels } from '../../apimachinery/selectors/label-selector.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson, writeJsonBytes } from '../../base/json-write.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { sha256Hex } from '../../base/sha256.ts';
import type { ResourceContext, ResourceStore } from '../../server/resource/resource-store.ts';
import type { ReadOnlyRows, Row, RowKey } from '../../server/rows/rows.ts';

/** An object of a computed collection, without `apiVersion` and `kind`. */
export interface ComputedObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export interface ComputedSource<T extends ComputedObject> {
  /** The name of the resource in paths, for 404s. */
  readonly plural: string;
  /** Returns the objects of a namespace; all objects for ''. Selectors are applied afterwards. */
  list(namespace: string): MaybePromise<readonly T[]>;
  /** Returns one object; undefined if it does not exist. Default: searches the list of the namespace. */
  get?(key: RowKey): MaybePromise<T | undefined>;
}

/** The option `store` of a resource whose objects are computed for each request. It has the verbs get and list. */
export function computed<T extends ComputedObject>(source: ComputedSource<T>): () => ResourceStore {
  const find = async (key: RowKey): Promise<T | undefined> => {
    if (source.get !== undefined) return source.get(key);
    return (await source.list(key.namespace)).find(({ metadata }) => metadata.name === key.name);
  };
  return () => ({
    async get(context) {
      const { namespace, name } = context;
      const found = await find({ namespace, name });
      if (found === undefined)
        throw new StatusError(notFound({ group: context.version.group, resource: source.plural }, name));
      return encode(context, found);
    },
    async list(context, { labelSelector, fieldSelector }) {
      const selected = (await source.list(context.namespace)).filter(
        ({ metadata: { name, namespace = '', labels } }) =>
          matchesLabels(labelSelector, (label) => labels?.[label]) &&
          matchesFields(fieldSelector, (field) => (field === 'metadata.name' ? name : namespace)),
      );
      const items = selected.map((object) => encode(context, object));
      return { resourceVersion: '', continueToken: '', remaining: undefined, items };
    },
  });
}

function encode<T extends ComputedObject>({ version }: ResourceContext, object: T): Uint8Array {
  const { group, version: name, kind } = version;
  const apiVersion = group === '' ? name : `${group}/${name}`;
  return writeJsonBytes({ kind, apiVersion, ...(object as unknown as JsonObject) });
}

/** The option `rows` of a resource whose objects are computed once per interval, and can be watched. */
export function computedRows<T extends ComputedObject>(
  list: () => MaybePromise<readonly T[]>,
  options: { readonly pollIntervalMs?: number } = {},
): ReadOnlyRows<T> {
  const rows = async (): Promise<Row<T>[]> =>
    (await list()).map((object) => ({
      object,
      version: sha256Hex(encodeUtf8(writeJson(object as unknown as JsonObject))),
    }));
  return {
    ...options,
    list: rows,
    get: async ({ namespace, name }) =>
      (await rows()).find(
        ({ object: { metadata } }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
      ),
  };
}
