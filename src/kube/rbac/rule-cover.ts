/**
 * The comparison of two sets of rules: whether one grants at least the permissions of the other. Escalation checks and
 * startup reconciliation use it.
 * Invariant: results equal the reference's (`Covers` in component-helpers/auth/rbac/validation) up to MAX_ATOMS and
 * MAX_STEPS. Permissions beyond these limits count as not covered: the product of a rule's lists is chosen by the
 * client and unbounded.
 */
import { quoteList } from '../../apimachinery/go-format.ts';
import type { PolicyRule, PolicyRules, StringList } from './policy.ts';
import { trimStars } from './url-match.ts';

/** The limit of single permissions that one comparison checks. */
export const MAX_ATOMS = 100_000;
/** The limit of value lookups of one comparison, long values weighted by length: about 100 ms of work. */
export const MAX_STEPS = 5_000_000;

export interface Coverage {
  readonly covered: boolean;
  /**
   * The permissions that are not covered, in the order of the rules. Each has one verb and either one URL, or one
   * resource and at most one name.
   */
  readonly uncovered: readonly PolicyRule[];
  /** True if a limit ended the comparison. The list is incomplete then. */
  readonly cut: boolean;
}

/** Counts lookups, to bound the time of a comparison. */
interface Meter {
  steps: number;
}

/** Compares the permissions of the `servant` rules with those of the `owner` rules. */
export function covers(owner: PolicyRules, servant: PolicyRules): Coverage {
  const owners = (owner ?? []).map(compileOwner);
  const meter: Meter = { steps: 0 };
  const isCovered = (rule: PolicyRule): boolean =>
    owners.some((held) => meter.steps <= MAX_STEPS && ownerCovers(held, rule, meter));
  const uncovered: PolicyRule[] = [];
  let atoms = 0;
  for (const rule of servant ?? []) {
    // Most rules are covered as a whole by one owner rule. Only the others are broken down.
    if (isCovered(rule)) continue;
    for (const atom of breakdown(rule)) {
      const covered = isCovered(atom);
      if (++atoms > MAX_ATOMS || meter.steps > MAX_STEPS) return { covered: false, uncovered, cut: true };
      if (!covered) uncovered.push(atom);
    }
  }
  return { covered: uncovered.length === 0, uncovered, cut: false };
}

/**
 * Breaks a rule down into single permissions: first those with one verb, one group, one resource and at most one name,
 * then those with one verb and one URL.
 */
export function* breakdown(rule: PolicyRule): Generator<PolicyRule, void> {
  const verbs = rule.verbs ?? [];
  const names = rule.resourceNames ?? [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of verbs) {
        const atom = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (names.length === 0) yield atom;
        else for (const name of names) yield { ...atom, resourceNames: [name] };
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? [])
    for (const verb of verbs) yield { nonResourceURLs: [url], verbs: [verb] };
}

interface Owner {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly urls: ReadonlySet<string>;
  /** The prefixes of the URLs that end with `*`. */
  readonly urlPrefixes: readonly string[];
}

function compileOwner(rule: PolicyRule): Owner {
  const urls = new Set(rule.nonResourceURLs ?? []);
  return {
    verbs: new Set(rule.verbs ?? []),
    groups: new Set(rule.apiGroups ?? []),
    resources: new Set(rule.resources ?? []),
    names: new Set(rule.resourceNames ?? []),
    urls,
    urlPrefixes: [...urls].filter((url) => url.endsWith('*')).map(trimStars),
  };
}

/** Returns true if this one owner rule covers the whole other rule. */
function ownerCovers(owner: Owner, rule: PolicyRule, meter: Meter): boolean {
  meter.steps++;
  return (
    hasAllOrStar(owner.verbs, rule.verbs, meter) &&
    hasAllOrStar(owner.groups, rule.apiGroups, meter) &&
    coversResources(owner.resources, rule.resources, meter) &&
    coversNames(owner.names, rule, meter) &&
    coversUrls(owner, rule.nonResourceURLs, meter)
  );
}

function hasAllOrStar(held: ReadonlySet<string>, wanted: StringList, meter: Meter): boolean {
  return held.has('*') || hasAll(held, wanted, meter);
}

function hasAll(held: ReadonlySet<string>, wanted: StringList, meter: Meter): boolean {
  if (wanted === undefined || wanted === null) return true;
  for (const value of wanted) {
    meter.steps++;
    if (!held.has(value)) return false;
  }
  return true;
}

function coversResources(held: ReadonlySet<string>, wanted: StringList, meter: Meter): boolean {
  if (held.has('*')) return true;
  for (const resource of wanted ?? []) {
    meter.steps += 1 + weightOf(resource);
    if (!coversResource(held, resource)) return false;
  }
  return true;
}

/** The additional steps of comparing a long text. */
function weightOf(text: string): number {
  return text.length >> 6;
}

function coversResource(held: ReadonlySet<string>, resource: string): boolean {
  if (held.has(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && held.has(`*${resource.slice(slash)}`);
}

/** An owner rule with resource names covers neither a rule without names nor a rule with URLs. */
function coversNames(held: ReadonlySet<string>, rule: PolicyRule, meter: Meter): boolean {
  if (held.size === 0) return true;
  if ((rule.resourceNames ?? []).length === 0 || (rule.nonResourceURLs ?? []).length > 0) return false;
  return hasAll(held, rule.resourceNames, meter);
}

function coversUrls(owner: Owner, wanted: StringList, meter: Meter): boolean {
  for (const url of wanted ?? []) {
    meter.steps += 1 + owner.urlPrefixes.length * (1 + weightOf(url));
    if (!owner.urls.has(url) && !owner.urlPrefixes.some((prefix) => url.startsWith(prefix))) return false;
  }
  return true;
}

/**
 * Joins rules about one resource that differ only in their verbs, for messages. Rules of other shapes are kept
 * unchanged and come first.
 */
export function compactRules(atoms: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const joined: { readonly rule: PolicyRule; readonly verbs: string[] }[] = [];
  // Nested maps, not one concatenated key: the parts may be long and numerous.
  const seen = new Map<string, Map<string, Map<string | undefined, string[]>>>();
  for (const atom of atoms) {
    const simple = simpleParts(atom);
    if (simple === undefined) {
      others.push(atom);
      continue;
    }
    const byResource = entry(seen, simple.group, () => new Map<string, Map<string | undefined, string[]>>());
    const byName = entry(byResource, simple.resource, () => new Map<string | undefined, string[]>());
    const verbs = entry(byName, simple.name, () => {
      const start: string[] = [];
      joined.push({ rule: atom, verbs: start });
      return start;
    });
    for (const verb of atom.verbs ?? []) verbs.push(verb);
  }
  for (const { rule, verbs } of joined) others.push({ ...rule, verbs });
  return others;
}

/** Returns the parts of a rule about one resource and at most one name, and undefined for any other rule. */
function simpleParts(
  rule: PolicyRule,
): { readonly group: string; readonly resource: string; readonly name: string | undefined } | undefined {
  const [groups, resources, names] = [rule.apiGroups ?? [], rule.resources ?? [], rule.resourceNames ?? []];
  const [group] = groups;
  const [resource] = resources;
  if (groups.length !== 1 || resources.length !== 1 || names.length > 1) return undefined;
  if (group === undefined || resource === undefined || (rule.nonResourceURLs ?? []).length > 0) return undefined;
  return { group, resource, name: names[0] };
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** Formats a rule as escalation messages show it: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function formatRule(rule: PolicyRule): string {
  const parts: string[] = [];
  const add = (name: string, list: StringList): void => {
    if (list !== undefined && list !== null && list.length > 0) parts.push(`${name}:${quoteList(list)}`);
  };
  add('APIGroups', rule.apiGroups);
  add('Resources', rule.resources);
  add('NonResourceURLs', rule.nonResourceURLs);
  add('ResourceNames', rule.resourceNames);
  add('Verbs', rule.verbs);
  return `{${parts.join(', ')}}`;
}
