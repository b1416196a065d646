/**
 * The registry of kinds that a server knows, found by kind or by resource. Invariant: a kind and a resource are registered once each;
 * a kind's type view is made on first use and kept, so that thousands of kinds cost little until they are used.
 */
import { BugError } from '../../base/errors.ts';
import { quote } from '../go-format.ts';
import type { TypeView } from '../type-view.ts';
import { formatGroupVersion, formatGvk, formatGvr, type GroupVersionKind, type GroupVersionResource } from './gvk.ts';
import { sortVersions } from './version-order.ts';

export type ResourceScope = 'Namespaced' | 'Cluster';

export interface KindDefinition {
  readonly gvk: GroupVersionKind;
  /** The plural in paths, such as `deployments`. Undefined for kinds that no path serves (options, lists). */
  readonly resource: string | undefined;
  readonly scope: ResourceScope;
  /** Makes the view of the type; called at most once. */
  readonly typeView: () => TypeView;
}

/** A registered kind. */
export class Kind {
  readonly gvk: GroupVersionKind;
  readonly gvr: GroupVersionResource | undefined;
  readonly scope: ResourceScope;
  #makeView: (() => TypeView) | undefined;
  #view: TypeView | undefined;

  constructor({ gvk, resource, scope, typeView }: KindDefinition) {
    this.gvk = gvk;
    this.gvr = resource === undefined ? undefined : { group: gvk.group, version: gvk.version, resource };
    this.scope = scope;
    this.#makeView = typeView;
  }

  /** The same view every time. */
  get typeView(): TypeView {
    if (this.#makeView !== undefined) {
      this.#view = this.#makeView();
      this.#makeView = undefined;
    }
    return this.#view as TypeView;
  }
}

interface Group {
  /** Kinds by version, then by name of the kind. */
  readonly versions: Map<string, Map<string, Kind>>;
  sorted: readonly string[] | undefined;
}

const NO_VERSIONS: readonly string[] = [];

export class Scheme {
  readonly #groups = new Map<string, Group>();
  readonly #resources = new Map<string, Kind>();
  #size = 0;

  /** How many kinds are registered. */
  get size(): number {
    return this.#size;
  }

  /** Adds a kind. Throws BugError if the kind or its resource is there already. */
  register(definition: KindDefinition): Kind {
    const kind = new Kind(definition);
    const { gvk, gvr } = kind;
    if (this.kind(gvk) !== undefined) throw new BugError(`kind ${formatGvk(gvk)} is registered already`);
    if (gvr !== undefined && this.resource(gvr) !== undefined)
      throw new BugError(`resource ${formatGvr(gvr)} is registered already`);
    let group = this.#groups.get(gvk.group);
    if (group === undefined) {
      group = { versions: new Map(), sorted: undefined };
      this.#groups.set(gvk.group, group);
    }
    const kinds = group.versions.get(gvk.version);
    if (kinds === undefined) {
      group.versions.set(gvk.version, new Map([[gvk.kind, kind]]));
      group.sorted = undefined;
    } else kinds.set(gvk.kind, kind);
    if (gvr !== undefined) this.#resources.set(resourceKey(gvr), kind);
    this.#size++;
    return kind;
  }

  /** Removes a kind; false if it was not there. */
  unregister(gvk: GroupVersionKind): boolean {
    const group = this.#groups.get(gvk.group);
    const kinds = group?.versions.get(gvk.version);
    const kind = kinds?.get(gvk.kind);
    if (group === undefined || kinds === undefined || kind === undefined) return false;
    kinds.delete(gvk.kind);
    if (kinds.size === 0) {
      group.versions.delete(gvk.version);
      group.sorted = undefined;
    }
    if (group.versions.size === 0) this.#groups.delete(gvk.group);
    if (kind.gvr !== undefined) this.#resources.delete(resourceKey(kind.gvr));
    this.#size--;
    return true;
  }

  /** Undefined for an unknown kind; `notRegistered` has the text for that. */
  kind(gvk: GroupVersionKind): Kind | undefined {
    return this.#groups.get(gvk.group)?.versions.get(gvk.version)?.get(gvk.kind);
  }

  /** Undefined for an unknown resource. */
  resource(gvr: GroupVersionResource): Kind | undefined {
    return this.#resources.get(resourceKey(gvr));
  }

  groups(): Iterable<string> {
    return this.#groups.keys();
  }

  /** The versions of a group, most preferred first; empty for an unknown group. */
  versions(group: string): readonly string[] {
    const found = this.#groups.get(group);
    if (found === undefined) return NO_VERSIONS;
    found.sorted ??= sortVersions(found.versions.keys());
    return found.sorted;
  }

  /** The kinds of a group and version, in order of registration. */
  kinds(group: string, version: string): Iterable<Kind> {
    return this.#groups.get(group)?.versions.get(version)?.values() ?? [];
  }

  /** The kind in the most preferred version that has it. */
  preferredKind(group: string, kind: string): Kind | undefined {
    for (const version of this.versions(group)) {
      const found = this.kind({ group, version, kind });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The resource in the most preferred version that has it. */
  preferredResource(group: string, resource: string): Kind | undefined {
    for (const version of this.versions(group)) {
      const found = this.resource({ group, version, resource });
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** What the reference says about a kind that is not registered, without its scheme's name. */
export function notRegistered(gvk: GroupVersionKind): string {
  return `no kind ${quote(gvk.kind)} is registered for version ${quote(formatGroupVersion(gvk))}`;
}

// A slash can stand in none of the parts that come from paths or definitions; the resource comes last in any case.
function resourceKey({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}
