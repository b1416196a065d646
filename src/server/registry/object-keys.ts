/**
 * The storage keys of a resource: `<scope>/<prefix>/<namespace>/<name>`, without the namespace for cluster-scoped
 * resources. Invariant: names and namespaces are escaped, so no name results in a key of another resource, and both can
 * be decoded from the key.
 */
import type { ResourceScope } from '../../apimachinery/meta/gvk.ts';
import { escapeSegment, unescapeSegment } from '../../storage/keys.ts';

export class ObjectKeys {
  /** The prefix of all keys of the resource; ends with a slash. */
  readonly root: string;
  readonly #namespaced: boolean;

  constructor(scope: string, storagePrefix: string, resourceScope: ResourceScope) {
    this.root = `${escapeSegment(scope)}/${storagePrefix}/`;
    this.#namespaced = resourceScope === 'Namespaced';
  }

  get namespaced(): boolean {
    return this.#namespaced;
  }

  key(namespace: string, name: string): string {
    return this.#namespaced
      ? `${this.root}${escapeSegment(namespace)}/${escapeSegment(name)}`
      : `${this.root}${escapeSegment(name)}`;
  }

  /** The prefix of the keys of a namespace; of all keys for '' and for cluster-scoped resources. Ends with a slash. */
  prefix(namespace: string): string {
    return this.#namespaced && namespace !== '' ? `${this.root}${escapeSegment(namespace)}/` : this.root;
  }

  name(key: string): string {
    return unescapeSegment(key.slice(key.lastIndexOf('/') + 1));
  }

  /** The namespace in a key; '' for cluster-scoped resources. */
  namespace(key: string): string {
    return this.#namespaced ? unescapeSegment(key.slice(this.root.length, key.lastIndexOf('/'))) : '';
  }

  /** Returns the value of `metadata.name` or `metadata.namespace` from a key; undefined for other fields. */
  readonly fieldOfKey = (key: string, field: string): string | undefined => {
    if (field === 'metadata.name') return this.name(key);
    return field === 'metadata.namespace' ? this.namespace(key) : undefined;
  };
}
