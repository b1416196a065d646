/**
 * Where objects lie in storage: `<scope>/<prefix>/<namespace>/<name>`, without the namespace for cluster-scoped resources. Invariant: every segment that comes
 * from a client is escaped, so no name can reach another resource, and name and namespace can be read back from the key.
 */
import type { ResourceScope } from '../../apimachinery/meta/gvk.ts';
import { escapeSegment, unescapeSegment } from '../../storage/keys.ts';

export class ObjectKeys {
  /** Of the whole resource; ends with a slash. */
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

  /** Of one namespace, or of the whole resource if the namespace is '' or has no meaning here. Ends with a slash. */
  prefix(namespace: string): string {
    return this.#namespaced && namespace !== '' ? `${this.root}${escapeSegment(namespace)}/` : this.root;
  }

  name(key: string): string {
    return unescapeSegment(key.slice(key.lastIndexOf('/') + 1));
  }

  /** '' for cluster-scoped resources. */
  namespace(key: string): string {
    return this.#namespaced ? unescapeSegment(key.slice(this.root.length, key.lastIndexOf('/'))) : '';
  }

  /** The fields of selectors that every key tells; undefined for all others. */
  readonly fieldOfKey = (key: string, field: string): string | undefined => {
    if (field === 'metadata.name') return this.name(key);
    return field === 'metadata.namespace' ? this.namespace(key) : undefined;
  };
}
