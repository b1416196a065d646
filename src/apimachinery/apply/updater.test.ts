import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, equalJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { equalSets, type FieldSet, fieldSetOf } from '../field-set/field-set.ts';
import { formatPath, keyElement } from '../field-set/path-element.ts';
import { intersection, union } from '../field-set/set-algebra.ts';
import { excludeFilter } from '../field-set/set-filter.ts';
import {
  filledObject,
  independentObjects,
  plainObject,
  SINGLE_VERSION,
  structType,
  TYPE,
  typedObject,
} from './apply.fixtures.ts';
import { compareTyped } from './comparison.ts';
import type { Converter } from './converter.ts';
import { equalManagers, type Managers } from './managers.ts';
import { MergeType } from './merge-type.ts';
import { mergeTyped } from './merge-typed.ts';
import { toFieldSet } from './to-field-set.ts';
import { type ApplyOutcome, Updater } from './updater.ts';

interface Operation {
  readonly kind: 'apply' | 'force' | 'update';
  readonly manager: string;
  readonly value: JsonObject;
}

const updater = new Updater({ converter: SINGLE_VERSION });

/** An object that managers write one after the other. */
class State {
  live: JsonValue = {};
  managers: Managers = new Map();

  run({ kind, manager, value }: Operation): ApplyOutcome | undefined {
    const request = { live: typed(this.live), apiVersion: 'v1', managers: this.managers, manager };
    if (kind === 'update') {
      this.managers = updater.update({ ...request, next: typed(value) }) as Managers;
      this.live = value;
      return undefined;
    }
    const outcome = updater.apply({ ...request, config: typed(value), force: kind === 'force' }) as ApplyOutcome;
    if (outcome.kind === 'applied') {
      this.managers = outcome.managers;
      this.live = outcome.object?.value ?? this.live;
    }
    return outcome;
  }

  setOf(manager: string): FieldSet {
    return this.managers.get(manager)?.set ?? fieldSetOf();
  }
}

const typed = (value: JsonValue) => ({ value, type: TYPE });
const apply = (manager: string, value: JsonObject): Operation => ({ kind: 'apply', manager, value });
const force = (manager: string, value: JsonObject): Operation => ({ kind: 'force', manager, value });
const update = (manager: string, value: JsonObject): Operation => ({ kind: 'update', manager, value });

const history = (
  value: fc.Arbitrary<JsonObject>,
  kinds: readonly Operation['kind'][] = ['apply', 'force', 'update'],
): fc.Arbitrary<State> =>
  fc
    .array(
      fc.record<Operation>({
        kind: fc.constantFrom(...kinds),
        manager: fc.constantFrom('one', 'two', 'three'),
        value,
      }),
      { maxLength: 4 },
    )
    .map((operations) => {
      const state = new State();
      for (const operation of operations) state.run(operation);
      return state;
    });

function stateAfter(...operations: readonly Operation[]): State {
  const state = new State();
  for (const operation of operations) state.run(operation);
  return state;
}

const paths = (set: FieldSet): string[] => Array.from(set.paths(), (path) => formatPath(path)).sort();

describe('apply', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(history(typedObject), filledObject, fc.constantFrom('apply', 'force'), (state, value, kind) => {
        const first = state.run({ kind, manager: 'one', value } as Operation);
        if (first?.kind === 'conflicts') return;
        const { live, managers } = state;
        const again = state.run({ kind, manager: 'one', value: cloneJson(value) } as Operation);
        expect(again).toMatchObject({ kind: 'applied', object: undefined });
        expect(state.live).toBe(live);
        expect(equalManagers(state.managers, managers)).toBe(true);
      }),
    );
  });

  it('gives the same object and managers in any order of independent managers', () => {
    fc.assert(
      fc.property(history(plainObject), independentObjects, (state, [a, b]) => {
        const [there, back] = [new State(), new State()];
        for (const copy of [there, back]) Object.assign(copy, { live: state.live, managers: state.managers });
        for (const operation of [force('new', a), force('other', b)]) there.run(operation);
        for (const operation of [force('other', b), force('new', a)]) back.run(operation);
        expect(equalManagers(there.managers, back.managers)).toBe(true);
        const { added, modified, removed } = compareTyped(there.live, back.live, TYPE);
        expect([...paths(added), ...paths(modified), ...paths(removed)]).toEqual([]);
      }),
    );
  });

  it('makes the applier the owner of the applied fields if it is forced', () => {
    fc.assert(
      fc.property(history(typedObject), filledObject, (state, value) => {
        const before = state.live;
        state.run(force('one', value));
        const set = toFieldSet(value, TYPE);
        expect(equalSets(state.setOf('one'), set)).toBe(true);
        expect(mergeTyped(state.live, value, TYPE)).toBe(state.live);
        const { modified, added } = compareTyped(before, state.live, TYPE);
        const written = union(modified, added);
        for (const [manager, other] of state.managers)
          if (manager !== 'one') expect(paths(intersection(other.set, written))).toEqual([]);
      }),
    );
  });

  it('never takes a field from another applier without force', () => {
    fc.assert(
      fc.property(history(plainObject, ['apply', 'force']), plainObject, (state, value) => {
        const before = { live: state.live, managers: state.managers };
        const outcome = state.run(apply('one', value));
        if (outcome?.kind !== 'applied') return;
        const { modified, removed } = compareTyped(before.live, state.live, TYPE);
        for (const [manager, { set }] of before.managers) {
          if (manager === 'one') continue;
          expect(paths(intersection(set, union(modified, removed)))).toEqual([]);
          expect(equalSets(state.setOf(manager), set)).toBe(true);
        }
      }),
    );
  });

  it('removes an abandoned item even if an updater owns a field inside it, but not the item', () => {
    const state = stateAfter(
      apply('one', { items: [{ name: 'x' }] }),
      update('two', { items: [{ name: 'x', value: 1 }] }),
      apply('one', { text: 'a' }),
    );
    expect(state.live).toEqual({ items: null, text: 'a' });
    expect([...state.managers.keys()]).toEqual(['one']);
  });

  it('changes neither the live object nor the configuration nor the managers', () => {
    fc.assert(
      fc.property(history(typedObject), typedObject, fc.boolean(), (state, value, isForced) => {
        const copies = cloneJson([state.live, value]);
        const managers = new Map(state.managers);
        const request = { live: typed(state.live), apiVersion: 'v1', managers: state.managers, manager: 'one' };
        updater.apply({ ...request, config: typed(value), force: isForced });
        expect(equalJson([state.live, value], copies)).toBe(true);
        expect(state.managers).toEqual(managers);
      }),
    );
  });

  it('names the manager and the field of each conflict', () => {
    const state = stateAfter(apply('one', { text: 'a', items: [{ name: 'x', value: 1 }] }));
    const outcome = state.run(apply('two', { text: 'b', items: [{ name: 'x', value: 2 }] }));
    expect(outcome).toEqual({
      kind: 'conflicts',
      conflicts: [
        { manager: 'one', path: ['text'] },
        { manager: 'one', path: ['items', keyElement({ name: 'x' }), 'value'] },
      ],
    });
  });

  it('shares a field with a manager that has the same value', () => {
    const state = stateAfter(apply('one', { text: 'a' }), apply('two', { text: 'a' }));
    expect([paths(state.setOf('one')), paths(state.setOf('two'))]).toEqual([['.text'], ['.text']]);
  });

  it('removes fields that the applier has abandoned and no other manager owns', () => {
    const state = stateAfter(
      apply('one', { map: { a: 'x', b: 'x' }, set: ['a', 'b'], items: [{ name: 'x', value: 1 }, { name: 'y' }] }),
      apply('two', { map: { b: 'x' }, items: [{ name: 'y' }] }),
      apply('one', { set: ['b'] }),
    );
    expect(state.live).toEqual({ map: { b: 'x' }, set: ['b'], items: [{ name: 'y' }] });
    expect(paths(state.setOf('one'))).toEqual(['.set[="b"]']);
  });

  it('removes an abandoned struct with the fields in it that have no owner, but keeps fields of other managers', () => {
    const state = stateAfter(apply('one', { inner: { text: 'a' } }));
    state.live = { inner: { text: 'a', number: 1 } };
    state.run(apply('two', { number: 1 }));
    const { live, managers } = state;
    state.run(apply('one', { text: 'b' }));
    expect(state.live).toEqual({ number: 1, text: 'b' });
    Object.assign(state, { live, managers });
    state.run(apply('two', { inner: { number: 1 } }));
    state.run(apply('one', { text: 'b' }));
    expect(state.live).toEqual({ inner: { number: 1 }, text: 'b' });
  });
});

describe('update', () => {
  it('owns the fields that it changes and takes them from others', () => {
    const state = stateAfter(
      apply('one', { text: 'a', map: { a: 'x' } }),
      update('two', { text: 'b', map: { a: 'x' } }),
    );
    expect([paths(state.setOf('one')), paths(state.setOf('two'))]).toEqual([['.map.a'], ['.text']]);
  });

  it('drops managers that no longer own a field', () => {
    const state = stateAfter(apply('one', { text: 'a' }), update('two', { number: 1 }));
    expect([...state.managers.keys()]).toEqual(['two']);
  });

  it('changes no manager if it changes nothing', () => {
    fc.assert(
      fc.property(history(typedObject), (state) => {
        const before = state.managers;
        state.run(update('new', cloneJson(state.live as JsonObject)));
        return equalManagers(state.managers, before);
      }),
    );
  });
});

describe('a filter', () => {
  it('keeps reset fields out of every set', () => {
    const filters = new Map([['v1', excludeFilter(fieldSetOf(['inner']))]]);
    const filtered = new Updater({ converter: SINGLE_VERSION, filters });
    const outcome = filtered.apply({
      live: typed({}),
      config: typed({ text: 'a', inner: { text: 'b' } }),
      apiVersion: 'v1',
      managers: new Map(),
      manager: 'one',
      force: false,
    }) as ApplyOutcome;
    expect(outcome.kind === 'applied' && paths(outcome.managers.get('one')?.set as FieldSet)).toEqual(['.text']);
  });
});

describe('several versions', () => {
  const string = new MergeType({ scalar: 'string' });
  const types = new Map([
    ['v1', structType({ old: string, same: string })],
    ['v2', structType({ new: string, same: string })],
  ]);
  const rename = (value: JsonValue, from: string, to: string): JsonObject =>
    Object.fromEntries(
      Object.entries((value ?? {}) as JsonObject).map(([key, item]) => [key === from ? to : key, item]),
    );
  const converter = (delay: <T>(value: T) => T | Promise<T>): Converter => ({
    typeAt: (version) => types.get(version),
    convert: ({ value }, version) => {
      const converted = version === 'v1' ? rename(value, 'new', 'old') : rename(value, 'old', 'new');
      return delay({ value: converted, type: types.get(version) as MergeType });
    },
  });
  const request = (version: string, live: JsonObject, config: JsonObject, managers: Managers) => ({
    live: { value: live, type: types.get(version) as MergeType },
    config: { value: config, type: types.get(version) as MergeType },
    apiVersion: version,
    managers,
    manager: 'two',
    force: false,
  });
  const managers: Managers = new Map([['one', { set: fieldSetOf(['old']), apiVersion: 'v1', applied: true }]]);

  it('find a conflict in the version of the owner', () => {
    const outcome = new Updater({ converter: converter((value) => value) }).apply(
      request('v2', { new: 'a' }, { new: 'b' }, managers),
    );
    expect(outcome).toEqual({ kind: 'conflicts', conflicts: [{ manager: 'one', path: ['old'] }] });
  });

  it('abandon a field that was applied in another version', async () => {
    const last: Managers = new Map([['two', { set: fieldSetOf(['old'], ['same']), apiVersion: 'v1', applied: true }]]);
    const outcome = await new Updater({ converter: converter((value) => Promise.resolve(value)) }).apply(
      request('v2', { new: 'a', same: 'x' }, { same: 'x' }, last),
    );
    expect(outcome).toMatchObject({ kind: 'applied', object: { value: { same: 'x' } } });
  });

  it('drop the managers of a version that is no longer served', () => {
    const gone: Managers = new Map([['one', { set: fieldSetOf(['new']), apiVersion: 'v0', applied: true }]]);
    const outcome = new Updater({ converter: converter((value) => value) }).apply(
      request('v2', { new: 'a' }, { new: 'b' }, gone),
    ) as ApplyOutcome;
    expect(outcome.kind === 'applied' && [...outcome.managers.keys()]).toEqual(['two']);
  });
});
