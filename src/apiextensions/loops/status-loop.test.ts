import { describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Lister, ListerChange } from '../../server/own/lister.ts';
import type { OwnWriter } from '../../server/own/own-writer.ts';
import { encodeStored } from '../../server/registry/stored-object.ts';
import { conditionsOf, gadgets } from '../apiextensions.fixtures.ts';
import { CrdLister } from '../crd-lister.ts';
import { createSchemaChecks } from '../definition/validation/create-schema-checks.ts';
import { DefinitionWriter } from './definition-writer.ts';
import { StatusLoop } from './status-loop.ts';

/** A loop whose lister reports changes when the test says so, and the definitions that the loop has written. */
function startLoop() {
  const objects = new Map<string, JsonObject>();
  const written = new Map<string, JsonObject>();
  let tell: (changes: readonly ListerChange[]) => void = () => undefined;
  let fresh = new Deferred<void>();
  const lister: Lister = {
    fresh: () => fresh.promise,
    get: (_namespace, name) => objects.get(name),
    list: () => [...objects.values()],
    subscribe: (listener) => {
      tell = listener;
      return { stop: () => undefined };
    },
  };
  const update: OwnWriter['update'] = async ({ name }, change) => {
    const object = structuredClone(objects.get(name) as JsonObject);
    change(object);
    written.set(name, object);
    return encodeStored(object);
  };
  const known = new CrdLister(lister);
  const loop = new StatusLoop({
    clock: new VirtualClock(),
    lister: known,
    writer: new DefinitionWriter({ update, track: (_live, next) => next }),
    checks: createSchemaChecks(),
    caBundle: () => undefined,
    onFailure: (_name, error) => {
      throw error;
    },
  });
  loop.start();
  known.follow(loop.changed);
  return {
    written,
    change: async (name: string, object: JsonObject): Promise<void> => {
      objects.set(name, object);
      tell([{ namespace: '', name, object }]);
      await settle();
    },
    catchUp: async (): Promise<void> => {
      fresh.resolve();
      fresh = new Deferred<void>();
      await settle();
    },
  };
}

function rival(plural: string): JsonObject {
  const names = { plural, singular: plural.slice(0, -1), kind: 'Same', listKind: `${plural}List` };
  const definition = gadgets([{}], { names });
  return { ...definition, metadata: { name: `${plural}.example.test`, uid: plural, resourceVersion: '1' } };
}

describe('the names of definitions', () => {
  it('are given once, even if another definition changes before the lister shows them', async () => {
    const { written, change, catchUp } = startLoop();
    await change('as.example.test', rival('as'));
    expect(conditionsOf(written.get('as.example.test') as JsonObject)['NamesAccepted']).toBe('True NoConflicts');
    await change('bs.example.test', rival('bs'));
    expect(conditionsOf(written.get('bs.example.test') as JsonObject)['NamesAccepted']).toBe('False KindConflict');
    await change('as.example.test', written.get('as.example.test') as JsonObject);
    await catchUp();
    await change('cs.example.test', rival('cs'));
    expect(conditionsOf(written.get('cs.example.test') as JsonObject)['NamesAccepted']).toBe('False KindConflict');
  });

  it('become free when the definition that has them is renamed while it is written', async () => {
    const { written, change, catchUp } = startLoop();
    await change('as.example.test', rival('as'));
    await change('bs.example.test', rival('bs'));
    expect(conditionsOf(written.get('bs.example.test') as JsonObject)['NamesAccepted']).toBe('False KindConflict');
    // The write for `as` was not stored: another writer has changed its names.
    const other = rival('as');
    const spec = other['spec'] as JsonObject;
    const names = { ...(spec['names'] as JsonObject), kind: 'Other' };
    await change('as.example.test', { ...other, spec: { ...spec, names } });
    await catchUp();
    await catchUp();
    expect(conditionsOf(written.get('bs.example.test') as JsonObject)['NamesAccepted']).toBe('True NoConflicts');
  });
});
