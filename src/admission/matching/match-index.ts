/**
 * The index of webhooks or policies by resource, subresource and operation. It is made anew for each change of the
 * configurations and answers a request that matches no hook with one lookup.
 *
 * Invariant: rules are compared with a resource once, at its first request. Endpoints use one object per resource, so
 * that the resource itself is the key.
 */
import type { GroupVersionKind, GroupVersionResource } from '../../apimachinery/meta/gvk.ts';
import type { AdmissionAttributes, Operation } from '../../server/admission.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { isNamespaces, type MatchRule, type MatchTarget, ruleMatches } from './match-rules.ts';

/** The part of a webhook or policy that the index reads. */
export interface IndexedHook {
  readonly rules: readonly MatchRule[];
  /** Rules for requests that do not match although one of `rules` does. Only policies have them. */
  readonly excluded: readonly MatchRule[];
  /** Whether a rule for another version of the resource counts too: `matchPolicy: Equivalent`. */
  readonly equivalent: boolean;
  /** Whether a hook without rules matches every request, as a policy does. */
  readonly matchesWithoutRules: boolean;
}

/** The resource and kind in whose terms a hook sees the request. */
export interface HookView {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  /** The version that objects are converted to for the hook; undefined for the version of the request. */
  readonly version: VersionDefinition | undefined;
}

/** A hook whose rules match a resource and an operation. Its selectors and conditions are evaluated later. */
export interface Candidate<H> {
  readonly hook: H;
  /** The number of hooks before this one, in the order of all of them. */
  readonly position: number;
  /** Returns the view for an object of this name; undefined if the rules do not match the name. */
  viewFor(name: string): HookView | undefined;
}

type ByOperation<H> = Map<Operation, readonly Candidate<H>[]>;

const NONE: readonly never[] = [];

export class MatchIndex<H extends IndexedHook> {
  readonly #hooks: readonly H[];
  readonly #resources = new WeakMap<GroupVersionResource, Map<string, ByOperation<H>>>();

  /** `hooks` are in the order in which they are called. */
  constructor(hooks: readonly H[]) {
    this.#hooks = hooks;
  }

  /** Returns the hooks for the request, in order. */
  candidates(attributes: AdmissionAttributes): readonly Candidate<H>[] {
    if (this.#hooks.length === 0) return NONE;
    const { resource, subresource, operation } = attributes;
    let subresources = this.#resources.get(resource);
    if (subresources === undefined) {
      subresources = new Map();
      this.#resources.set(resource, subresources);
    }
    let operations = subresources.get(subresource);
    if (operations === undefined) {
      operations = new Map();
      subresources.set(subresource, operations);
    }
    let found = operations.get(operation);
    if (found === undefined) {
      found = this.#hooks.flatMap((hook, position) => candidateOf(hook, position, attributes) ?? []);
      operations.set(operation, found);
    }
    return found;
  }
}

/** A rule that is for the resource in some version of it. */
interface Match {
  readonly names: readonly string[];
  readonly view: HookView;
}

function candidateOf<H extends IndexedHook>(
  hook: H,
  position: number,
  attributes: AdmissionAttributes,
): Candidate<H> | undefined {
  const own: HookView = { resource: attributes.resource, kind: attributes.kind, version: undefined };
  const isFree = hook.rules.length === 0 && hook.matchesWithoutRules;
  const matches = isFree ? [{ names: [], view: own }] : matchesOf(hook.rules, hook, attributes, own);
  const [first] = matches;
  if (first === undefined) return undefined;
  const excluded = matchesOf(hook.excluded, hook, attributes, own);
  if (excluded.some(({ names }) => names.length === 0)) return undefined;
  // The usual case: no rule has names.
  if (first.names.length === 0 && excluded.length === 0) return { hook, position, viewFor: () => first.view };
  return {
    hook,
    position,
    viewFor: (name) =>
      excluded.some(({ names }) => names.includes(name))
        ? undefined
        : matches.find(({ names }) => names.length === 0 || names.includes(name))?.view,
  };
}

/**
 * Returns the matching rules. The version of the request comes before other versions; among those, rules keep their
 * order.
 */
function matchesOf(
  rules: readonly MatchRule[],
  { equivalent }: IndexedHook,
  attributes: AdmissionAttributes,
  own: HookView,
): readonly Match[] {
  const target = targetOf(attributes);
  const exact = rules.filter((rule) => ruleMatches(rule, target)).map(({ names }) => ({ names, view: own }));
  if (!equivalent) return exact;
  const others = otherViews(attributes);
  const equal = rules.flatMap((rule) =>
    others
      .filter(({ resource }) => ruleMatches(rule, { ...target, resource }))
      .map((view) => ({ names: rule.names, view })),
  );
  return [...exact, ...equal];
}

/** Returns the request as rules are compared with it. */
export function targetOf({ operation, resource, subresource, namespace }: AdmissionAttributes): MatchTarget {
  return { operation, resource, subresource, namespaced: !isNamespaces(resource) && namespace !== '' };
}

/**
 * Returns the other versions of the resource. A subresource with a kind of its own has the same kind in all of them.
 */
function otherViews({ resource, kind, versions, version }: AdmissionAttributes): readonly HookView[] {
  const hasOwnKind = !versions.includes(version);
  return versions
    .filter((other) => other.group !== resource.group || other.version !== resource.version)
    .map((other) => ({
      resource: { group: other.group, version: other.version, resource: resource.resource },
      kind: hasOwnKind ? kind : { group: other.group, version: other.version, kind: other.kind },
      version: hasOwnKind ? undefined : other,
    }));
}
