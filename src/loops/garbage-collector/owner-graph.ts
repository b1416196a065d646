/**
 * The graph of owners and dependents, as a state machine without I/O. Events of objects go in, work comes out through
 * GraphWork, and `decide` returns the action for one object. Behaviour follows
 * kubernetes/pkg/controller/garbagecollector (1.36); docs/decisions/0034-garbage-collection.md lists the differences.
 *
 * Invariants:
 * - A node exists for an object that has owners, for one that waits for its dependents, and for every uid that an owner
 *   reference names. No other object has a node, so a store without owner references costs nothing.
 * - A node is `known` once its object was seen, in an event or by a lookup. A reference to a node that is not known is
 *   looked up before anything is deleted.
 * - `dependents` of a node are exactly the nodes with a reference to its uid.
 */
import { LruMap } from '../../base/lru-map.ts';
import type { Scope } from '../../kinds/kind.ts';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion: boolean;
}

/** An object's coordinates. `namespace` is '' for a cluster-scoped object. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The fields of an object that garbage collection depends on. */
export interface ObjectRecord extends ObjectIdentity {
  readonly resourceVersion: string;
  readonly owners: readonly OwnerReference[];
  readonly beingDeleted: boolean;
  /** Whether the object has the finalizer `orphan`. */
  readonly orphans: boolean;
  /** Whether the object has the finalizer `foregroundDeletion`. */
  readonly foreground: boolean;
}

/** Receives the consequences of events. Called synchronously; adding the same work twice must be harmless. */
export interface GraphWork {
  /** The node may have to be deleted, or may have lost what it waits for: call `decide`. */
  attempt(node: OwnerNode): void;
  /** The node waits until its dependents have lost their reference to it. */
  orphan(node: OwnerNode): void;
  /** Whether an object exists at these coordinates is not known: read it, then call `found` or `absent`. */
  lookUp(owner: ObjectIdentity): void;
  /** The reference names an owner that exists in another namespace. */
  invalidNamespace(dependent: ObjectIdentity, reference: OwnerReference): void;
}

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export type Decision =
  | { readonly action: 'none' }
  /** The object's dependents are gone: remove the finalizer `foregroundDeletion`. */
  | { readonly action: 'finalize' }
  | {
      readonly action: 'delete';
      readonly policy: PropagationPolicy;
      /** Clear `blockOwnerDeletion` of all references first, because the object is part of a cycle. */
      readonly unblock: boolean;
    }
  /** Remove the references to these owners; others still exist. */
  | { readonly action: 'disown'; readonly uids: readonly string[] }
  /** Look these owners up, then decide again. */
  | { readonly action: 'look-up'; readonly owners: readonly ObjectIdentity[] }
  /** The kind of an owner is not served: decide again when the served kinds change. */
  | { readonly action: 'await-kind'; readonly reference: OwnerReference };

/** One object. Only the graph modifies it. */
export class OwnerNode {
  /** If the node is not `known`, the coordinates of the first reference to it. */
  identity: ObjectIdentity;
  known = false;
  resourceVersion = '';
  /** The same array until a reference changes. */
  owners: readonly OwnerReference[] = NO_OWNERS;
  beingDeleted = false;
  orphans = false;
  foreground = false;
  dependents: Set<OwnerNode> | undefined;
  /** The generation of the graph in which the object was last seen. See `OwnerGraph.reset`. */
  generation = 0;

  constructor(identity: ObjectIdentity) {
    this.identity = identity;
  }

  /** Whether the object waits for the deletion of its dependents. */
  get deletingDependents(): boolean {
    return this.beingDeleted && this.foreground;
  }
}

const NO_OWNERS: readonly OwnerReference[] = [];
const NONE: Decision = { action: 'none' };
/** The size of upstream's cache of absent owners (`NewReferenceCache(500)`). An evicted owner is looked up again. */
const ABSENT_OWNERS = 500;

export class OwnerGraph {
  readonly #scopeOf: (apiVersion: string, kind: string) => Scope | undefined;
  readonly #work: GraphWork;
  readonly #nodes = new Map<string, OwnerNode>();
  /** Uids that were deleted, and coordinates where no object with the uid was found. */
  readonly #absent = new LruMap<string, true>(ABSENT_OWNERS);
  #generation = 0;

  /** `scopeOf` returns undefined for a kind that is not served. */
  constructor(scopeOf: (apiVersion: string, kind: string) => Scope | undefined, work: GraphWork) {
    this.#scopeOf = scopeOf;
    this.#work = work;
  }

  /** The number of nodes. If it is 0, an object without owners and without a deletion mark need not be put. */
  get size(): number {
    return this.#nodes.size;
  }

  has(uid: string): boolean {
    return this.#nodes.has(uid);
  }

  /** Whether the node is still part of the graph. */
  holds(node: OwnerNode): boolean {
    return this.#nodes.get(node.identity.uid) === node;
  }

  /** Begins a new generation of the state: objects that are not put before `synced` no longer exist. */
  reset(): void {
    this.#generation++;
  }

  /** Ends the state that began with `reset`. */
  synced(): void {
    for (const node of [...this.#nodes.values()]) {
      if (!node.known || node.generation === this.#generation) continue;
      if (isRelevant(node)) this.delete(node.identity.uid);
      // An owner without owners of its own may still exist on an extension API server.
      else {
        node.known = false;
        this.#lookUpFor(node);
      }
    }
  }

  /**
   * All objects of a kind were listed. Owners of that kind that are not in the list are looked up again, because their
   * deletion may have been missed.
   */
  listed(group: string, kind: string, uids: { has(uid: string): boolean }): void {
    for (const node of [...this.#nodes.values()]) {
      const { identity } = node;
      if (!node.known || identity.kind !== kind || groupOf(identity.apiVersion) !== group) continue;
      if (uids.has(identity.uid)) continue;
      node.known = false;
      this.#lookUpFor(node);
    }
  }

  /** An object was created or changed. */
  put(record: ObjectRecord): void {
    const known = this.#nodes.get(record.uid);
    if (known === undefined) {
      if (!isRelevant(record)) return;
      const node = new OwnerNode(identityOf(record));
      this.#nodes.set(record.uid, node);
      node.known = true;
      this.#update(node, record);
      return;
    }
    this.#observe(known, record);
    this.#update(known, record);
  }

  /** An object was deleted. */
  delete(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    for (const { uid: owner } of node.owners) this.#removeDependent(owner, node);
    if (node.dependents !== undefined && node.dependents.size > 0) {
      this.#absent.set(uid, true);
      for (const dependent of node.dependents) this.#work.attempt(dependent);
    }
    for (const { uid: owner } of node.owners) {
      const ownerNode = this.#nodes.get(owner);
      if (ownerNode?.deletingDependents) this.#work.attempt(ownerNode);
    }
  }

  /** A lookup found an object with the uid at these coordinates. */
  found(owner: ObjectIdentity): void {
    const node = this.#nodes.get(owner.uid);
    if (node === undefined || node.known) return;
    node.generation = this.#generation;
    this.#observe(node, owner);
  }

  /** A lookup found no object, or one with another uid, at these coordinates. */
  absent(owner: ObjectIdentity): void {
    this.#absent.set(coordinatesKey(owner), true);
    for (const dependent of this.#nodes.get(owner.uid)?.dependents ?? [])
      if (dependent.owners.some((reference) => isAt(owner, reference, dependent))) this.#work.attempt(dependent);
  }

  /** The dependents that must lose their reference before the node's finalizer `orphan` is removed. */
  dependentsOf(node: OwnerNode): readonly OwnerNode[] {
    return [...(node.dependents ?? [])];
  }

  /**
   * Returns the action for a node, and changes nothing. `found` are the keys of owners (`coordinatesKey`) that lookups
   * for this decision have found. Classifies owners as dangling, waiting or solid, like `classifyReferences` in
   * garbagecollector.go.
   */
  decide(node: OwnerNode, found: ReadonlySet<string> = NOTHING): Decision {
    if (!node.known || !this.holds(node)) return NONE;
    if (node.deletingDependents) return this.#isBlocked(node) ? NONE : { action: 'finalize' };
    if (node.beingDeleted || node.owners.length === 0) return NONE;
    const dangling: string[] = [];
    const waiting: string[] = [];
    const unknown: ObjectIdentity[] = [];
    let solid = 0;
    for (const reference of node.owners) {
      const owner = ownerAt(reference, node);
      const scope = this.#scopeOf(reference.apiVersion, reference.kind);
      // A cluster-scoped object cannot have a namespaced owner. kube-controller-manager does not touch such an object
      // either, even if the owner is gone.
      if (scope === 'Namespaced' && node.identity.namespace === '') return NONE;
      if (this.#absent.get(reference.uid) === true || this.#absent.get(coordinatesKey(owner)) === true) {
        dangling.push(reference.uid);
        continue;
      }
      if (scope === undefined) return { action: 'await-kind', reference };
      const ownerNode = this.#nodes.get(reference.uid);
      if (ownerNode?.known && isNamedBy(ownerNode.identity, reference, node)) {
        if (ownerNode.deletingDependents) waiting.push(reference.uid);
        else solid++;
      } else if (found.has(coordinatesKey(owner))) solid++;
      else unknown.push(owner);
    }
    if (unknown.length > 0) return { action: 'look-up', owners: unknown };
    if (solid > 0) {
      const uids = [...dangling, ...waiting];
      return uids.length === 0 ? NONE : { action: 'disown', uids };
    }
    if (waiting.length > 0 && node.dependents !== undefined && node.dependents.size > 0)
      return { action: 'delete', policy: 'Foreground', unblock: closesCycle(node) };
    return { action: 'delete', policy: ownPolicy(node), unblock: false };
  }

  /** Returns an owner's coordinates, without a namespace for a cluster-scoped kind. Undefined for an unserved kind. */
  resolved(owner: ObjectIdentity): ObjectIdentity | undefined {
    const scope = this.#scopeOf(owner.apiVersion, owner.kind);
    return scope === undefined ? undefined : scope === 'Cluster' ? { ...owner, namespace: '' } : owner;
  }

  /** Records that the object of a node exists under this identity. */
  #observe(node: OwnerNode, observed: ObjectIdentity): void {
    const { known } = node;
    node.known = true;
    if (known) return;
    node.identity = identityOf(observed);
    for (const dependent of node.dependents ?? []) {
      const reference = dependent.owners.find(({ uid }) => uid === observed.uid);
      if (reference === undefined || isNamedBy(node.identity, reference, dependent)) continue;
      if (isElsewhere(node.identity, dependent)) this.#work.invalidNamespace(dependent.identity, reference);
      this.#work.attempt(dependent);
    }
  }

  #update(node: OwnerNode, record: ObjectRecord): void {
    const before = {
      owners: node.owners,
      waited: node.deletingDependents,
      orphaned: node.beingDeleted && node.orphans,
    };
    node.generation = this.#generation;
    node.resourceVersion = record.resourceVersion;
    node.beingDeleted ||= record.beingDeleted;
    node.orphans = record.orphans;
    node.foreground = record.foreground;
    if (!isSame(before.owners, record.owners)) this.#setOwners(node, before.owners, record.owners);
    if (node.beingDeleted && node.orphans) {
      if (!before.orphaned) this.#work.orphan(node);
    } else if (node.deletingDependents && !before.waited) {
      for (const dependent of node.dependents ?? []) this.#work.attempt(dependent);
      this.#work.attempt(node);
    }
    this.#dropIfUnused(node);
  }

  #setOwners(node: OwnerNode, before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
    node.owners = after;
    for (const old of before) {
      const now = after.find(({ uid }) => uid === old.uid);
      if (old.blockOwnerDeletion && now?.blockOwnerDeletion !== true) {
        const owner = this.#nodes.get(old.uid);
        if (owner !== undefined) this.#work.attempt(owner);
      }
      if (now === undefined) this.#removeDependent(old.uid, node);
    }
    for (const reference of after)
      if (!before.some(({ uid }) => uid === reference.uid)) this.#addDependent(node, reference);
  }

  #addDependent(node: OwnerNode, reference: OwnerReference): void {
    let owner = this.#nodes.get(reference.uid);
    if (owner === undefined) {
      owner = new OwnerNode(ownerAt(reference, node));
      this.#nodes.set(reference.uid, owner);
    }
    owner.dependents ??= new Set();
    owner.dependents.add(node);
    if (owner.known && isNamedBy(owner.identity, reference, node)) {
      // The owner already waits for the deletion of its dependents, and this dependent is new.
      if (owner.deletingDependents) this.#work.attempt(node);
      return;
    }
    if (owner.known && isElsewhere(owner.identity, node)) this.#work.invalidNamespace(node.identity, reference);
    this.#work.lookUp(ownerAt(reference, node));
  }

  #removeDependent(owner: string, dependent: OwnerNode): void {
    const node = this.#nodes.get(owner);
    if (node?.dependents?.delete(dependent)) this.#dropIfUnused(node);
  }

  #dropIfUnused(node: OwnerNode): void {
    if (!isRelevant(node) && (node.dependents === undefined || node.dependents.size === 0))
      this.#nodes.delete(node.identity.uid);
  }

  #lookUpFor(owner: OwnerNode): void {
    for (const dependent of owner.dependents ?? []) {
      const reference = dependent.owners.find(({ uid }) => uid === owner.identity.uid);
      if (reference !== undefined) this.#work.lookUp(ownerAt(reference, dependent));
    }
  }

  #isBlocked(node: OwnerNode): boolean {
    const { uid } = node.identity;
    for (const dependent of node.dependents ?? [])
      for (const reference of dependent.owners) if (reference.uid === uid && reference.blockOwnerDeletion) return true;
    return false;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** Returns a key of the coordinates and the uid. It is never equal to a uid: `#absent` has keys of both forms. */
export function coordinatesKey({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string {
  return `${apiVersion}|${kind}|${namespace}|${name}|${uid}`;
}

function isSame(before: readonly OwnerReference[], after: readonly OwnerReference[]): boolean {
  return (
    before.length === after.length &&
    before.every((reference, i) => {
      const other = after[i] as OwnerReference;
      return (
        reference.uid === other.uid &&
        reference.blockOwnerDeletion === other.blockOwnerDeletion &&
        reference.name === other.name &&
        reference.kind === other.kind &&
        reference.apiVersion === other.apiVersion
      );
    })
  );
}

/** Whether an object needs a node even if no owner reference names it. */
function isRelevant(object: {
  readonly owners: readonly OwnerReference[];
  readonly beingDeleted: boolean;
  readonly orphans: boolean;
  readonly foreground: boolean;
}): boolean {
  return object.owners.length > 0 || (object.beingDeleted && (object.orphans || object.foreground));
}

function identityOf({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): ObjectIdentity {
  return { apiVersion, kind, namespace, name, uid };
}

/** Returns the coordinates that a reference names, in the namespace of its dependent. See `resolved`. */
function ownerAt({ apiVersion, kind, name, uid }: OwnerReference, dependent: OwnerNode): ObjectIdentity {
  return { apiVersion, kind, namespace: dependent.identity.namespace, name, uid };
}

/** Whether a reference of the dependent names exactly these coordinates, as `ownerAt` returns them. */
function isAt(owner: ObjectIdentity, reference: OwnerReference, dependent: OwnerNode): boolean {
  return (
    reference.uid === owner.uid &&
    reference.apiVersion === owner.apiVersion &&
    reference.kind === owner.kind &&
    reference.name === owner.name &&
    dependent.identity.namespace === owner.namespace
  );
}

/** Whether a reference names this object. Versions of a group serve the same object. */
function isNamedBy(owner: ObjectIdentity, reference: OwnerReference, dependent: OwnerNode): boolean {
  return (
    reference.kind === owner.kind &&
    reference.name === owner.name &&
    groupOf(reference.apiVersion) === groupOf(owner.apiVersion) &&
    !isElsewhere(owner, dependent)
  );
}

function isElsewhere(owner: ObjectIdentity, dependent: OwnerNode): boolean {
  return owner.namespace !== '' && owner.namespace !== dependent.identity.namespace;
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/**
 * Whether a dependent waits for its own dependents, so that the node may be in a cycle. Upstream checks no more,
 * either.
 */
function closesCycle(node: OwnerNode): boolean {
  for (const dependent of node.dependents ?? []) if (dependent.deletingDependents) return true;
  return false;
}

function ownPolicy({ orphans, foreground }: OwnerNode): PropagationPolicy {
  return orphans ? 'Orphan' : foreground ? 'Foreground' : 'Background';
}
