/**
 * Which definition of a group has which name. Invariant: names that were given by a write that is still under way count as given; looking up who has a name does not depend on how many definitions there are.
 */
import type { Crd, CrdNames } from '../crd.ts';
import { sameNames } from '../definition/naming.ts';

type Claim = Pick<Crd, 'group' | 'acceptedNames'>;

export class NameClaims {
  /** By the name of the definition. */
  readonly #claims = new Map<string, Claim>();
  /** `<group> <name>` to the definitions that have it: plurals, singulars, short names, kinds and kinds of lists. */
  readonly #owners = new Map<string, Set<string>>();

  /** What a definition has now, instead of what it had. True if it has given something up. */
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

  /** Everybody who has one of the names that a definition wants, itself included. */
  rivals({ name, group, names }: Pick<Crd, 'name' | 'group' | 'names'>): readonly Claim[] {
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
