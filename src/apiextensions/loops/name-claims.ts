/**
 * The names that the definitions of each group have. Invariant: names that a running write assigns count as taken. The
 * cost of a lookup does not depend on the number of definitions.
 */
import type { Crd, CrdNames } from '../crd.ts';
import { sameNames } from '../definition/naming.ts';

type Claim = Pick<Crd, 'group' | 'acceptedNames'>;

export class NameClaims {
  /** By the name of the definition. */
  readonly #claims = new Map<string, Claim>();
  /** The definitions that have a name, by `<group> <name>`: plurals, singulars, short names, kinds and list kinds. */
  readonly #owners = new Map<string, Set<string>>();

  /** Replaces the names that a definition has. Returns true if it has given up a name. */
  set(name: string, claim: Claim | undefined): boolean {
    const old = this.#claims.get(name);
    if (claim !== undefined && old?.group === claim.group && sameNames(old.acceptedNames, claim.acceptedNames))
      return false;
    const had = old === undefined ? [] : keysOf(old);
    const has = claim === undefined ? [] : keysOf(claim);
    for (const key of had) this.#remove(key, name);
    for (const key of has) this.#add(key, name);
    if (claim === undefined) this.#claims.delete(name);
    else this.#claims.set(name, claim);
    return had.some((key) => !has.includes(key));
  }

  /** Returns the claims of all definitions that have one of the names that a definition wants, its own included. */
  claimsOn({ name, group, names }: Pick<Crd, 'name' | 'group' | 'names'>): readonly Claim[] {
    const found = new Set([name]);
    for (const key of keysOf({ group, acceptedNames: names }))
      for (const owner of this.#owners.get(key) ?? []) found.add(owner);
    return [...found].map((owner) => this.#claims.get(owner)).filter((claim) => claim !== undefined);
  }

  #add(key: string, name: string): void {
    const owners = this.#owners.get(key);
    if (owners === undefined) this.#owners.set(key, new Set([name]));
    else owners.add(name);
  }

  #remove(key: string, name: string): void {
    const owners = this.#owners.get(key);
    owners?.delete(name);
    if (owners?.size === 0) this.#owners.delete(key);
  }
}

function keysOf({ group, acceptedNames: names }: Claim): readonly string[] {
  return allNames(names)
    .filter((name) => name !== '')
    .map((name) => `${group} ${name}`);
}

function allNames({ plural, singular, shortNames, kind, listKind }: CrdNames): readonly string[] {
  return [plural, singular, ...shortNames, kind, listKind];
}
