/** The hooks of a plugin that may be called a second time for one attempt of a write. */
import { cloneJson, equalJson, type JsonObject } from '../base/json-value.ts';

export class Reinvocation {
  #lastOutput: JsonObject | undefined;
  /** Called since the object was last changed. */
  readonly #invoked = new Set<string>();
  readonly #required = new Set<string>();

  /** Reports whether a hook must be called in the second run. */
  isRequired(id: string): boolean {
    return this.#required.has(id);
  }

  /** A hook that may be called again was called. */
  wasInvoked(id: string): void {
    this.#invoked.add(id);
  }

  /** The object was changed: the hooks called before must see it. */
  objectChanged(): void {
    for (const id of this.#invoked) this.#required.add(id);
    this.#invoked.clear();
  }

  /** Keeps a copy of the object at the end of the first run. Does nothing if no hook may be called again. */
  endFirstRun(object: JsonObject | undefined): void {
    if (object !== undefined && (this.#invoked.size > 0 || this.#required.size > 0))
      this.#lastOutput = cloneJson(object);
  }

  /** Compares the object with that copy: the plugins before may have changed it in the second run. */
  beginSecondRun(object: JsonObject | undefined): void {
    if (this.#lastOutput !== undefined && !equalJson(this.#lastOutput, object ?? null)) this.objectChanged();
  }
}
