/** Decides which hooks of a plugin the second run of mutating admission calls again, for one attempt of a write. */
import { cloneJson, equalJson, type JsonObject } from '../base/json-value.ts';

export class Reinvocation {
  #lastOutput: JsonObject | undefined;
  /** The ids of the hooks that were called since the object last changed. */
  readonly #invoked = new Set<string>();
  /** The ids of the hooks that the second run must call. */
  readonly #required = new Set<string>();

  /** Reports whether a hook must be called in the second run. */
  isRequired(id: string): boolean {
    return this.#required.has(id);
  }

  /** Called after a hook with `reinvocationPolicy: IfNeeded` was called. */
  wasInvoked(id: string): void {
    this.#invoked.add(id);
  }

  /** Called after a change of the object: the second run must call the hooks that were called before the change. */
  objectChanged(): void {
    for (const id of this.#invoked) this.#required.add(id);
    this.#invoked.clear();
  }

  /** Keeps a copy of the object at the end of the first run. Does nothing if no hook may be called again. */
  endFirstRun(object: JsonObject | undefined): void {
    if (object !== undefined && (this.#invoked.size > 0 || this.#required.size > 0))
      this.#lastOutput = cloneJson(object);
  }

  /**
   * Called at the beginning of the second run. Compares the object with the copy: the plugins before this one may have
   * changed it.
   */
  beginSecondRun(object: JsonObject | undefined): void {
    if (this.#lastOutput !== undefined && !equalJson(this.#lastOutput, object ?? null)) this.objectChanged();
  }
}
