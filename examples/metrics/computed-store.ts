// A collection that is computed for each request: nothing is stored, so there is no write and no watch.
import { matchesFields, matchesLabels, type ResourceStore, StatusError, statuses } from 'keelson/server';

export interface Computed {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export interface Collection<T extends Computed> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Returns the objects of a namespace; of all namespaces, or cluster-scoped ones, for ''. */
  list(namespace: string): Promise<readonly T[]>;
  /** Returns undefined if there is no such object. */
  get(namespace: string, name: string): Promise<T | undefined>;
}

export function computedStore<T extends Computed>({
  group,
  version,
  plural,
  kind,
  ...source
}: Collection<T>): ResourceStore {
  const encode = (object: T): Uint8Array =>
    Buffer.from(JSON.stringify({ kind, apiVersion: `${group}/${version}`, ...object }));
  return {
    async get({ namespace, name }) {
      const found = await source.get(namespace, name);
      if (found === undefined) throw new StatusError(statuses.notFound({ group, resource: plural }, name));
      return encode(found);
    },
    async list({ namespace }, { labelSelector, fieldSelector }) {
      const selected = (await source.list(namespace)).filter(
        ({ metadata: { name, namespace: of = '', labels } }) =>
          matchesLabels(labelSelector, (label) => labels?.[label]) &&
          matchesFields(fieldSelector, (field) => (field === 'metadata.name' ? name : of)),
      );
      return { resourceVersion: '', continueToken: '', remaining: undefined, items: selected.map(encode) };
    },
  };
}
