/**
 * Whether one set of rules grants at least what another does, which is what protects against escalation. Invariant: answers and lists as
 * the reference does, up to MAX_ATOMS and MAX_STEPS; beyond them what was not looked at counts as not covered, because the product of a rule's lists is
 * the caller's to choose and may have no end.
 */
import { quoteList } from '../../apimachinery/go-format.ts';
import type { PolicyRule, PolicyRules, Texts } from './policy.ts';
import { trimStars } from './rule-match.ts';

/** How many single permissions a comparison looks at one by one. */
export const MAX_ATOMS = 100_000;
/** How many values a comparison looks up, long ones counted by their length: about a tenth of a second of work. */
export const MAX_STEPS = 5_000_000;

export interface Coverage {
  readonly covered: boolean;
  /** What is not covered: one verb, one resource and at most one name (or one URL) each, in the order of the rules. */
  readonly uncovered: readonly PolicyRule[];
  /** True if a limit ended the comparison, so that the list is only a beginning. */
  readonly cut: boolean;
}

/** Counts the values looked up, so that lists of any size cost a bounded time. */
interface Meter {
  steps: number;
}

/** Compares what `servant` rules grant with what `owner` rules grant. */
export function covers(owner: PolicyRules, servant: PolicyRules): Coverage {
  const owners = (owner ?? []).map(compileOwner);
  const meter: Meter = { steps: 0 };
  const isCovered = (rule: PolicyRule): boolean =>
    owners.some((held) => meter.steps <= MAX_STEPS && ownerCovers(held, rule, meter));
  const uncovered: PolicyRule[] = [];
  let atoms = 0;
  for (const rule of servant ?? []) {
    // Most rules are held as a whole, and then nothing is broken down.
    if (isCovered(rule)) continue;
    for (const atom of breakdown(rule)) {
      const covered = isCovered(atom);
      if (++atoms > MAX_ATOMS || meter.steps > MAX_STEPS) return { covered: false, uncovered, cut: true };
      if (!covered) uncovered.push(atom);
    }
  }
  return { covered: uncovered.length === 0, uncovered, cut: false };
}

/** A rule as rules of one verb, one group, one resource and at most one name, then those of one verb and one URL. */
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
  /** Of those that match more than themselves. */
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

/** True only if this rule alone covers all of the other. */
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

function hasAllOrStar(held: ReadonlySet<string>, wanted: Texts, meter: Meter): boolean {
  return held.has('*') || hasAll(held, wanted, meter);
}

function hasAll(held: ReadonlySet<string>, wanted: Texts, meter: Meter): boolean {
  if (wanted === undefined || wanted === null) return true;
  for (const value of wanted) {
    meter.steps++;
    if (!held.has(value)) return false;
  }
  return true;
}

function coversResources(held: ReadonlySet<string>, wanted: Texts, meter: Meter): boolean {
  if (held.has('*')) return true;
  for (const resource of wanted ?? []) {
    meter.steps += 1 + weightOf(resource);
    if (!coversResource(held, resource)) return false;
  }
  return true;
}

/** What a text costs beyond one step, where its characters are looked at. */
function weightOf(text: string): number {
  return text.length >> 6;
}

function coversResource(held: ReadonlySet<string>, resource: string): boolean {
  if (held.has(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && held.has(`*${resource.slice(slash)}`);
}

/** Names restrict: a rule that names objects covers none without a name, and no URL. */
function coversNames(held: ReadonlySet<string>, rule: PolicyRule, meter: Meter): boolean {
  if (held.size === 0) return true;
  if ((rule.resourceNames ?? []).length === 0 || (rule.nonResourceURLs ?? []).length > 0) return false;
  return hasAll(held, rule.resourceNames, meter);
}

function coversUrls(owner: Owner, wanted: Texts, meter: Meter): boolean {
  for (const url of wanted ?? []) {
    meter.steps += 1 + owner.urlPrefixes.length * (1 + weightOf(url));
    if (!owner.urls.has(url) && !owner.urlPrefixes.some((prefix) => url.startsWith(prefix))) return false;
  }
  return true;
}

/** Rules that differ only by their verb made one, for people to read; rules of other shapes come first, as they are. */
export function compactRules(atoms: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const joined: { readonly rule: PolicyRule; readonly verbs: string[] }[] = [];
  // Maps in maps, not one key of all parts: the parts may be long, and there may be many.
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

/** The parts of a rule about one resource and at most one name; undefined for any other. */
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

/** A rule in one line, as the texts about escalation show it: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function formatRule(rule: PolicyRule): string {
  const parts: string[] = [];
  const add = (name: string, list: Texts): void => {
    if (list !== undefined && list !== null && list.length > 0) parts.push(`${name}:${quoteList(list)}`);
  };
  add('APIGroups', rule.apiGroups);
  add('Resources', rule.resources);
  add('NonResourceURLs', rule.nonResourceURLs);
  add('ResourceNames', rule.resourceNames);
  add('Verbs', rule.verbs);
  return `{${parts.join(', ')}}`;
}
