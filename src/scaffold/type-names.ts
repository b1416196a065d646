/**
 * The names of types in generated TypeScript. A type has the shortest tail of its path that is free: the `secretKeyRef`
 * of `Prometheus.spec.containers[].env[].valueFrom` is `SecretKeyRef`, or `ValueFromSecretKeyRef` if another type has
 * that name. Invariants: no two types have the same name; types near the root choose first, so a change deep inside a
 * kind does not rename them; the order of the definitions does not matter.
 */
import { compareUtf8 } from '../base/utf8.ts';

/** Names that say nothing without the name before them. */
const VAGUE = ['Item', 'Spec', 'Status', 'Value'];

/** The global types of TypeScript that a generated type must not hide, as far as fields have such names. */
const GLOBALS = [
  'Array',
  'Boolean',
  'Date',
  'Error',
  'Event',
  'Exclude',
  'Extract',
  'Function',
  'Map',
  'Number',
  'Object',
  'Omit',
  'Parameters',
  'Partial',
  'Pick',
  'Promise',
  'Readonly',
  'Record',
  'Request',
  'Required',
  'Response',
  'Set',
  'String',
  'Symbol',
];

export class TypeNames {
  readonly #taken: Set<string>;

  /** `reserved` are names that the file imports. */
  constructor(reserved: Iterable<string>) {
    this.#taken = new Set(reserved);
  }

  /** Returns the name of a kind, with a number appended if it is taken. */
  takeKind(kind: string): string {
    return this.#takeNumbered(typeNameOf(kind));
  }

  /**
   * Returns the name of each type by its place in the list. `types` are the paths at which each type occurs. Call it
   * after the kinds have their names.
   */
  takeAll(types: readonly (readonly (readonly string[])[])[]): readonly string[] {
    for (const name of [...GLOBALS, ...VAGUE]) this.#taken.add(name);
    const preferred = types.map((paths, index) => ({ index, path: [...paths].sort(comparePaths)[0] ?? [] }));
    const names: string[] = [];
    for (const { index, path } of preferred.sort((a, b) => comparePaths(a.path, b.path)))
      names[index] = this.#takeTail(path);
    return names;
  }

  #takeTail(path: readonly string[]): string {
    // The spec or status of a kind is named after the kind: every kind has one.
    for (let length = path.length <= 2 ? path.length : 1; length < path.length; length++) {
      const name = path.slice(-length).join('');
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
    return this.#takeNumbered(path.join(''));
  }

  #takeNumbered(name: string): string {
    let free = name;
    for (let i = 2; this.#taken.has(free); i++) free = `${name}${i}`;
    this.#taken.add(free);
    return free;
  }
}

/** Short paths first, then those with a short last name: `containers` before `initContainers`. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  return (
    a.length - b.length || (a.at(-1)?.length ?? 0) - (b.at(-1)?.length ?? 0) || compareUtf8(a.join('.'), b.join('.'))
  );
}

/** Returns the name of a type: `cronSpec` and `cron-spec` become `CronSpec`. */
export function typeNameOf(name: string): string {
  const parts = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const joined = parts.map((part) => part[0]?.toUpperCase() + part.slice(1)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `T${joined}`;
}

/** Plurals for which the rules below are wrong. */
const IRREGULAR: Readonly<Record<string, string>> = {
  Aliases: 'Alias',
  Caches: 'Cache',
  Indices: 'Index',
  Movies: 'Movie',
  Series: '',
  Statuses: 'Status',
};

/**
 * Returns the name of one element of a list: `Containers` becomes `Container`. A name that is not recognised as a
 * plural gets the suffix `Item`.
 */
export function singularOf(name: string): string {
  const start = name.search(/[A-Z][^A-Z]*$/);
  const head = name.slice(0, Math.max(0, start));
  const word = name.slice(Math.max(0, start));
  const singular = IRREGULAR[word] ?? regularSingular(word);
  return singular === '' ? `${name}Item` : head + singular;
}

/** Returns '' if the word is not a plural. */
function regularSingular(word: string): string {
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:sses|shes|ches|xes)$/.test(word)) return word.slice(0, -2);
  if (/[^sui]s$/.test(word) && word.length > 2) return word.slice(0, -1);
  return '';
}

/** Returns the name of a property, quoted if it must be. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
}
