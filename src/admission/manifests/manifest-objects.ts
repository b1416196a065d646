/**
 * The webhook configurations or policies of a folder of manifest files (KEP-5793). They are not in the API, so no
 * client can change them. Invariant: the objects are valid, of version v1, and have all defaults.
 */
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';

/** The suffix of names that are reserved for objects of manifest files. */
export const STATIC_SUFFIX = '.static.k8s.io';

/** The plugins whose configuration has the field `staticManifestsDir`. */
export type ManifestPlugin =
  | 'MutatingAdmissionWebhook'
  | 'ValidatingAdmissionWebhook'
  | 'MutatingAdmissionPolicy'
  | 'ValidatingAdmissionPolicy';

export class ManifestObjects {
  readonly #listeners: (() => void)[] = [];
  #objects: readonly JsonObject[] = [];

  /** Replaces all objects. Listeners are called at once. */
  replace(objects: readonly JsonObject[]): void {
    this.#objects = [...objects].sort((a, b) => compareUtf8(nameOf(a), nameOf(b)));
    for (const listener of this.#listeners) listener();
  }

  /** Returns the objects of a kind, ordered by name. They are shared and read-only. */
  list(kind: string): readonly JsonObject[] {
    return this.#objects.filter((object) => textAt(object, 'kind') === kind);
  }

  /** Calls the listener after each replacement. It must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
