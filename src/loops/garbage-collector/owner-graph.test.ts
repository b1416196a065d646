import { describe, expect, it } from 'vitest';
import type { Scope } from '../../kinds/kind.ts';
import {
  coordinatesKey,
  type Decision,
  type ObjectIdentity,
  type ObjectRecord,
  OwnerGraph,
  type OwnerNode,
  type OwnerReference,
} from './owner-graph.ts';

const SCOPES: Readonly<Record<string, Scope>> = {
  'v1/Pod': 'Namespaced',
  'v1/ConfigMap': 'Namespaced',
  'v1/Node': 'Cluster',
  'apps/v1/ReplicaSet': 'Namespaced',
  'apps/v1beta1/ReplicaSet': 'Namespaced',
};

/** A graph with the work that it has asked for, as `verb name`. */
class Recorded {
  readonly work: string[] = [];
  readonly nodes = new Map<string, OwnerNode>();
  readonly graph = new OwnerGraph((apiVersion, kind) => SCOPES[`${apiVersion}/${kind}`], {
    attempt: (node) => this.#note('attempt', node),
    orphan: (node) => this.#note('orphan', node),
    lookUp: (owner) => this.work.push(`look up ${owner.kind} ${owner.namespace}/${owner.name}`),
    invalidNamespace: (dependent, { name }) => this.work.push(`invalid namespace ${dependent.name} -> ${name}`),
  });

  #note(verb: string, node: OwnerNode): void {
    this.nodes.set(node.identity.name, node);
    this.work.push(`${verb} ${node.identity.name}`);
  }

  put(name: string, more: Partial<ObjectRecord> = {}): void {
    this.graph.put({ ...pod(name), resourceVersion: '1', owners: [], ...FLAGS, ...more });
  }

  delete(name: string): void {
    this.graph.delete(`uid-${name}`);
  }

  decide(name: string, found?: ReadonlySet<string>): Decision {
    const node = this.nodes.get(name);
    if (node === undefined) throw new TypeError(`${name} was not attempted`);
    return this.graph.decide(node, found);
  }

  /** The work since the last call. */
  take(): string[] {
    return this.work.splice(0);
  }
}

const FLAGS = { beingDeleted: false, orphans: false, foreground: false };

function pod(name: string, namespace = 'ns'): ObjectIdentity {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: `uid-${name}` };
}

function owner(name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name, uid: `uid-${name}`, blockOwnerDeletion: false, ...more };
}

const BLOCKING = { blockOwnerDeletion: true };
const WAITS = { beingDeleted: true, foreground: true };

describe('OwnerGraph', () => {
  it('has no node for objects without owners', () => {
    const { graph } = new Recorded();
    graph.put({ ...pod('a'), resourceVersion: '1', owners: [], ...FLAGS });
    graph.put({ ...pod('b'), resourceVersion: '1', owners: [], ...FLAGS, beingDeleted: true });
    expect(graph.size).toBe(0);
  });

  it('looks an owner up that it has not seen, once it is named', () => {
    const it = new Recorded();
    it.put('child', { owners: [owner('parent')] });
    expect(it.take()).toEqual(['look up Pod ns/parent']);
    it.graph.found(pod('parent'));
    expect(it.take()).toEqual([]);
    it.put('sibling', { owners: [owner('parent')] });
    expect(it.take()).toEqual([]);
  });

  it('deletes a dependent whose owner was deleted', () => {
    const it = new Recorded();
    it.put('child', { owners: [owner('parent')] });
    it.graph.found(pod('parent'));
    it.take();
    it.delete('parent');
    expect(it.take()).toEqual(['attempt child']);
    expect(it.decide('child')).toEqual({ action: 'delete', policy: 'Background', unblock: false });
    it.delete('child');
    expect(it.graph.size).toBe(0);
    expect(it.decide('child')).toEqual({ action: 'none' });
  });

  it('deletes a dependent whose owner never existed', () => {
    const it = new Recorded();
    it.put('child', { owners: [owner('parent')] });
    it.graph.absent(pod('parent'));
    expect(it.take()).toEqual(['look up Pod ns/parent', 'attempt child']);
    expect(it.decide('child')).toEqual({ action: 'delete', policy: 'Background', unblock: false });
  });

  it('keeps a policy that the finalizers of the dependent ask for', () => {
    const it = new Recorded();
    it.put('a', { owners: [owner('parent')], orphans: true, foreground: true });
    it.put('b', { owners: [owner('parent')], foreground: true });
    it.graph.absent(pod('parent'));
    expect(it.decide('a')).toMatchObject({ policy: 'Orphan' });
    expect(it.decide('b')).toMatchObject({ policy: 'Foreground' });
  });

  it('keeps an object with one owner that exists, and removes the references to the others', () => {
    const it = new Recorded();
    it.put('child', { owners: [owner('gone'), owner('stays')] });
    it.graph.found(pod('stays'));
    it.graph.absent(pod('gone'));
    expect(it.decide('child')).toEqual({ action: 'disown', uids: ['uid-gone'] });
    it.put('child', { owners: [owner('stays')] });
    expect(it.decide('child')).toEqual({ action: 'none' });
  });

  it('looks owners up before it decides', () => {
    const it = new Recorded();
    it.put('child', { owners: [owner('gone'), owner('unknown')] });
    it.graph.absent(pod('gone'));
    expect(it.decide('child')).toEqual({ action: 'look-up', owners: [pod('unknown')] });
    expect(it.decide('child', new Set([coordinatesKey(pod('unknown'))]))).toEqual({
      action: 'disown',
      uids: ['uid-gone'],
    });
  });

  it('waits for kinds that are not served', () => {
    const it = new Recorded();
    const foo = owner('foo', { apiVersion: 'example.com/v1', kind: 'Foo' });
    it.put('child', { owners: [foo, owner('gone')] });
    it.graph.absent(pod('gone'));
    expect(it.decide('child')).toEqual({ action: 'await-kind', reference: foo });
  });

  describe('foreground deletion', () => {
    it('deletes the dependents first, then removes the finalizer', () => {
      const it = new Recorded();
      it.put('child', { owners: [owner('parent', BLOCKING)] });
      it.graph.found(pod('parent'));
      it.take();
      it.put('parent', WAITS);
      expect(it.take()).toEqual(['attempt child', 'attempt parent']);
      expect(it.decide('parent')).toEqual({ action: 'none' });
      expect(it.decide('child')).toEqual({ action: 'delete', policy: 'Background', unblock: false });
      it.delete('child');
      expect(it.take()).toEqual(['attempt parent']);
      expect(it.decide('parent')).toEqual({ action: 'finalize' });
      it.delete('parent');
      expect(it.graph.size).toBe(0);
    });

    it('waits for blocking dependents only', () => {
      const it = new Recorded();
      it.put('child', { owners: [owner('parent')] });
      it.put('parent', WAITS);
      expect(it.decide('parent')).toEqual({ action: 'finalize' });
    });

    it('continues once a dependent no longer blocks', () => {
      const it = new Recorded();
      it.put('parent', WAITS);
      it.put('child', { owners: [owner('parent', BLOCKING)] });
      expect(it.take()).toEqual(['attempt parent', 'attempt child']);
      expect(it.decide('parent')).toEqual({ action: 'none' });
      it.put('child', { owners: [owner('parent')] });
      expect(it.take()).toEqual(['attempt parent']);
      expect(it.decide('parent')).toEqual({ action: 'finalize' });
      it.put('child', { owners: [owner('parent', BLOCKING)] });
      it.take();
      it.put('child', { owners: [] });
      expect(it.take()).toEqual(['attempt parent']);
      expect(it.decide('parent')).toEqual({ action: 'finalize' });
    });

    it('continues in the foreground with a dependent that has dependents', () => {
      const it = new Recorded();
      it.put('child', { owners: [owner('parent', BLOCKING)] });
      it.put('grandchild', { owners: [owner('child', BLOCKING)] });
      it.put('parent', WAITS);
      expect(it.decide('child')).toEqual({ action: 'delete', policy: 'Foreground', unblock: false });
    });

    it('unblocks a cycle', () => {
      const it = new Recorded();
      it.put('a', { owners: [owner('b', BLOCKING)] });
      it.put('b', { owners: [owner('a', BLOCKING)] });
      it.put('a', { owners: [owner('b', BLOCKING)], ...WAITS });
      expect(it.take()).toContain('attempt b');
      expect(it.decide('b')).toEqual({ action: 'delete', policy: 'Foreground', unblock: true });
    });

    it('removes the reference to a waiting owner from an object with another owner', () => {
      const it = new Recorded();
      it.put('child', { owners: [owner('parent', BLOCKING), owner('other')] });
      it.graph.found(pod('other'));
      it.put('parent', WAITS);
      expect(it.decide('child')).toEqual({ action: 'disown', uids: ['uid-parent'] });
    });

    it('does not change an object that is being deleted for another reason', () => {
      const it = new Recorded();
      it.put('child', { owners: [owner('parent')], beingDeleted: true });
      it.graph.absent(pod('parent'));
      expect(it.decide('child')).toEqual({ action: 'none' });
    });
  });

  it('orphans the dependents of an owner with the finalizer orphan', () => {
    const it = new Recorded();
    it.put('child', { owners: [owner('parent', BLOCKING)] });
    it.graph.found(pod('parent'));
    it.take();
    it.put('parent', { beingDeleted: true, orphans: true });
    it.put('parent', { beingDeleted: true, orphans: true, resourceVersion: '2' });
    expect(it.take()).toEqual(['orphan parent']);
    expect(it.graph.dependentsOf(it.nodes.get('parent') as OwnerNode).map(({ identity }) => identity.name)).toEqual([
      'child',
    ]);
  });

  describe('references that do not fit', () => {
    it('are reported if the owner is in another namespace', () => {
      const it = new Recorded();
      it.put('good', { owners: [owner('parent')] });
      it.graph.found(pod('parent'));
      it.take();
      it.put('bad', { ...pod('bad', 'other'), owners: [owner('parent')] });
      expect(it.take()).toEqual(['invalid namespace bad -> parent', 'look up Pod other/parent']);
      it.graph.absent(pod('parent', 'other'));
      expect(it.take()).toEqual(['attempt bad']);
      expect(it.decide('bad')).toMatchObject({ action: 'delete' });
    });

    it('are reported once the owner is seen', () => {
      const it = new Recorded();
      it.put('bad', { ...pod('bad', 'other'), owners: [owner('parent')] });
      it.take();
      it.put('parent', { owners: [owner('grandparent')] });
      expect(it.take()).toContain('invalid namespace bad -> parent');
      expect(it.decide('bad')).toEqual({ action: 'look-up', owners: [pod('parent', 'other')] });
    });

    it('do not delete an object whose owner exists in another version of the kind', () => {
      const it = new Recorded();
      const set = { ...pod('set'), apiVersion: 'apps/v1', kind: 'ReplicaSet' };
      it.put('child', { owners: [owner('set', { apiVersion: 'apps/v1beta1', kind: 'ReplicaSet' }), owner('gone')] });
      it.graph.absent(pod('gone'));
      it.put('set', { ...set, owners: [owner('x')] });
      expect(it.decide('child')).toEqual({ action: 'disown', uids: ['uid-gone'] });
    });

    it('leave a cluster-scoped object with a namespaced owner alone', () => {
      const it = new Recorded();
      it.put('node', { kind: 'Node', namespace: '', owners: [owner('parent')] });
      it.graph.found(pod('parent'));
      expect(it.take()).toEqual(['look up Pod /parent', 'invalid namespace node -> parent', 'attempt node']);
      expect(it.decide('node')).toEqual({ action: 'none' });
      it.delete('parent');
      expect(it.take()).toEqual(['attempt node']);
      expect(it.decide('node')).toEqual({ action: 'none' });
    });

    it('may name a cluster-scoped owner from any namespace', () => {
      const it = new Recorded();
      const node = { apiVersion: 'v1', kind: 'Node', namespace: '', name: 'n', uid: 'uid-n' };
      it.put('a', { owners: [owner('n', { kind: 'Node' }), owner('gone')] });
      it.put('b', { ...pod('b', 'other'), owners: [owner('n', { kind: 'Node' }), owner('gone')] });
      expect(it.graph.resolved({ ...node, namespace: 'ns' })).toEqual(node);
      it.graph.found(node);
      it.take();
      it.graph.absent(pod('gone'));
      expect(it.decide('a')).toEqual({ action: 'disown', uids: ['uid-gone'] });
      it.delete('n');
      expect(it.take()).toEqual(['attempt a', 'attempt a', 'attempt b']);
    });
  });

  it('treats objects that a new state does not have as deleted', () => {
    const it = new Recorded();
    it.put('child', { owners: [owner('parent')] });
    it.put('grandchild', { owners: [owner('child')] });
    it.graph.found(pod('parent'));
    it.take();
    it.graph.reset();
    it.put('grandchild', { owners: [owner('child')] });
    it.graph.synced();
    expect(it.take()).toEqual(['attempt grandchild']);
    expect(it.decide('grandchild')).toMatchObject({ action: 'delete' });
    expect(it.graph.has('uid-parent')).toBe(false);
  });

  it('looks up owners without owners of their own again after a new state', () => {
    const it = new Recorded();
    it.put('child', { owners: [owner('parent')] });
    it.graph.found(pod('parent'));
    it.take();
    it.graph.reset();
    it.put('child', { owners: [owner('parent')] });
    it.graph.synced();
    expect(it.take()).toEqual(['look up Pod ns/parent']);
  });

  it('handles an object that owns itself', () => {
    const it = new Recorded();
    it.put('a', { owners: [owner('a')] });
    expect(it.take()).toEqual([]);
    it.delete('a');
    expect(it.graph.size).toBe(0);
  });

  it('looks up owners again that a list of their kind does not contain', () => {
    const recorded = new Recorded();
    recorded.put('child', { owners: [owner('parent')] });
    recorded.graph.found(pod('parent'));
    recorded.take();
    recorded.graph.listed('apps', 'Pod', new Set());
    recorded.graph.listed('', 'ConfigMap', new Set());
    recorded.graph.listed('', 'Pod', new Set(['uid-parent', 'uid-child']));
    expect(recorded.take()).toEqual([]);
    recorded.graph.listed('', 'Pod', new Set(['uid-child']));
    expect(recorded.take()).toEqual(['look up Pod ns/parent']);
  });
});
