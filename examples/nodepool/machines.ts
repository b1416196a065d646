// The cloud of this example: machines in memory that need a moment to boot. A real one is an API with these calls.

const BOOT_MS = 100;

export class Machines {
  readonly #bootedAt = new Map<string, number>();

  /** Idempotent, as the API of a cloud has to be: it is called again after a restart of the operator. */
  async ensure(name: string): Promise<{ readonly ready: boolean }> {
    const bootedAt = this.#bootedAt.get(name) ?? Date.now() + BOOT_MS;
    this.#bootedAt.set(name, bootedAt);
    return { ready: Date.now() >= bootedAt };
  }

  /** Idempotent. */
  async remove(name: string): Promise<void> {
    this.#bootedAt.delete(name);
  }
}
