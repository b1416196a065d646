/**
 * The object of a request in the version in which policies see it. It is converted only where two consecutive policies
 * see different versions.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { convertObject, type ViewedObjects, viewedObjects } from '../matching/expression-input.ts';
import type { HookView } from '../matching/match-index.ts';

export class ViewedObject {
  readonly #attributes: AdmissionAttributes;
  #objects: ViewedObjects | undefined;
  /** The version of `#objects`; undefined for the version of the request. */
  #version: VersionDefinition | undefined;
  #isReplaced = false;

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** Returns the present object and the old object in the version of the view. They must not be changed. */
  async in(view: HookView): Promise<ViewedObjects> {
    if (this.#objects === undefined || this.#version !== view.version) {
      await this.#moveToRequest();
      this.#objects = await viewedObjects(this.#attributes, view);
      this.#version = view.version;
    }
    return this.#objects;
  }

  /** Replaces the object, which has the version of the last view. */
  replace(object: JsonObject): void {
    this.#objects = { object, oldObject: this.#objects?.oldObject };
    this.#isReplaced = true;
  }

  /** Gives the object to the request. Reports whether it was replaced. */
  async store(): Promise<boolean> {
    await this.#moveToRequest();
    return this.#isReplaced;
  }

  async #moveToRequest(): Promise<void> {
    const object = this.#objects?.object;
    if (!this.#isReplaced || object === undefined) return;
    const attributes = this.#attributes;
    const conversion = this.#version && { from: this.#version, to: attributes.version };
    attributes.object = conversion === undefined ? object : await convertObject(attributes, object, conversion);
  }
}
