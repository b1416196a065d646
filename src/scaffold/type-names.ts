/**
 * The names of types in generated TypeScript. Invariant: no two types have the same name; the first to ask for a name
 * gets it unchanged.
 */

export class Names {
  readonly #taken = new Set<string>(['ListMeta', 'ObjectMeta', 'OwnerReference']);

  /** Returns the name, with a number appended if it is taken. */
  take(name: string): string {
    let free = name;
    for (let i = 2; this.#taken.has(free); i++) free = `${name}${i}`;
    this.#taken.add(free);
    return free;
  }
}

/** Returns the name of a type: `cronSpec` and `cron-spec` become `CronSpec`. */
export function typeNameOf(name: string): string {
  const parts = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const joined = parts.map((part) => part[0]?.toUpperCase() + part.slice(1)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `T${joined}`;
}

/** Returns the name of a property, quoted if it must be. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
}
