/**
 * The decision on the names of a definition. Invariants: a name belongs to the definition that got it first, until that
 * definition gives it up or is deleted. Each free name is accepted at once, even if other names of the same definition
 * are taken.
 */
import { formatAggregate, quote } from '../../apimachinery/go-format.ts';
import type { Crd, CrdNames } from '../crd.ts';
import { findCondition, type WantedCondition } from './crd-conditions.ts';

export interface Naming {
  readonly acceptedNames: CrdNames;
  readonly namesAccepted: WantedCondition;
  readonly established: WantedCondition;
}

/**
 * Decides on the names of a definition. `others` are definitions with their accepted names; only those of the same
 * group count, and the definition itself may be among them.
 */
export function namingConditions(crd: Crd, others: Iterable<Pick<Crd, 'group' | 'acceptedNames'>>): Naming {
  const used = usedNames(crd.group, others);
  const { names: wanted, acceptedNames: given } = crd;
  const conflicts: { reason: string; message: string }[] = [];
  const settle = (reason: string, name: string, current: string, taken: ReadonlySet<string>): string => {
    const message = conflictOf(name, current, taken);
    if (message === undefined) return name;
    conflicts.push({ reason, message });
    return current;
  };
  const plural = settle('PluralConflict', wanted.plural, given.plural, used.resources);
  const singular = settle('SingularConflict', wanted.singular, given.singular, used.resources);
  const shortConflict = shortNamesConflict(wanted.shortNames, given.shortNames, used.resources);
  if (shortConflict !== undefined) conflicts.push({ reason: 'ShortNamesConflict', message: shortConflict });
  const kind = settle('KindConflict', wanted.kind, given.kind, used.kinds);
  const listKind = settle('ListKindConflict', wanted.listKind, given.listKind, used.kinds);
  const shortNames = shortConflict === undefined ? wanted.shortNames : given.shortNames;
  const last = conflicts.at(-1);
  const namesAccepted: WantedCondition =
    last === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...last };
  return {
    acceptedNames: { plural, singular, shortNames, kind, listKind, categories: wanted.categories },
    namesAccepted,
    established: establishedCondition(crd, last === undefined),
  };
}

/** Reports whether the definition has the names it wants, so that nothing is to be decided. */
export function hasItsNames({ names, acceptedNames }: Pick<Crd, 'names' | 'acceptedNames'>): boolean {
  return sameNames(names, acceptedNames);
}

export function sameNames(a: CrdNames, b: CrdNames): boolean {
  return (
    a.plural === b.plural &&
    a.singular === b.singular &&
    a.kind === b.kind &&
    a.listKind === b.listKind &&
    sameTexts(a.shortNames, b.shortNames) &&
    sameTexts(a.categories, b.categories)
  );
}

/**
 * The condition Established once the names are accepted. With an invalid CA bundle the conversion webhook could never
 * be called.
 */
export function establishedOutcome(caBundleIsBad: boolean): WantedCondition {
  return caBundleIsBad
    ? {
        type: 'Established',
        status: 'False',
        reason: 'InvalidCABundle',
        message: 'The conversion webhook CABundle is invalid',
      }
    : {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      };
}

/** An established definition stays established. */
function establishedCondition(crd: Crd, namesAreAccepted: boolean): WantedCondition {
  const old = findCondition(crd, 'Established');
  if (old?.status !== 'True' && namesAreAccepted)
    return {
      type: 'Established',
      status: 'False',
      reason: 'Installing',
      message: 'the initial names have been accepted',
    };
  if (old !== undefined) return { type: 'Established', status: old.status, reason: old.reason, message: old.message };
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

function usedNames(
  group: string,
  definitions: Iterable<Pick<Crd, 'group' | 'acceptedNames'>>,
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { group: other, acceptedNames } of definitions) {
    if (other !== group) continue;
    resources.add(acceptedNames.plural).add(acceptedNames.singular);
    for (const name of acceptedNames.shortNames) resources.add(name);
    kinds.add(acceptedNames.kind).add(acceptedNames.listKind);
  }
  return { resources, kinds };
}

function shortNamesConflict(
  wanted: readonly string[],
  given: readonly string[],
  taken: ReadonlySet<string>,
): string | undefined {
  if (sameTexts(wanted, given)) return undefined;
  const messages = wanted
    .filter((name) => !given.includes(name))
    .map((name) => conflictOf(name, '', taken))
    .filter((message) => message !== undefined);
  return messages.length === 0 ? undefined : formatAggregate(messages);
}

function conflictOf(wanted: string, given: string, taken: ReadonlySet<string>): string | undefined {
  return wanted === given || !taken.has(wanted) ? undefined : `${quote(wanted)} is already in use`;
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}
