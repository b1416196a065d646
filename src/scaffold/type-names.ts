/** Names in generated TypeScript. Invariant: a name is taken once; what was taken first keeps the plain form. */

export class Names {
  readonly #taken = new Set<string>(['ListMeta', 'ObjectMeta', 'OwnerReference']);

  /** The name, with a number behind it if somebody has it. */
  take(name: string): string {
    let free = name;
    for (let i = 2; this.#taken.has(free); i++) free = `${name}${i}`;
    this.#taken.add(free);
    return free;
  }
}

/** A name as that of a type: `cronSpec` and `cron-spec` become `CronSpec`. */
export function typeNameOf(name: string): string {
  const parts = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const joined = parts.map((part) => part[0]?.toUpperCase() + part.slice(1)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `T${joined}`;
}

/** A name as that of a property, in quotes where it must be. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
}
