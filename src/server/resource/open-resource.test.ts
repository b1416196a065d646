import { describe, expect, it } from 'vitest';
import { isBugError } from '../../base/errors.ts';
import { made, strategy, testHost, thing, thingDefinition } from '../registry/thing.fixtures.ts';
import { openResource } from './open-resource.ts';
import type { ResourceStore } from './resource-store.ts';
import { updateSubresource } from './update-subresource.ts';

describe('an open resource', () => {
  it('has a store over the storage of its host that starts with its first use', async () => {
    const { host, clock } = testHost();
    const { registry, store, stop } = openResource(thingDefinition(), host);
    expect(store).toBe(registry);
    expect(clock.pendingTimers).toBe(0);
    await made(registry!, thing('a'));
    expect(clock.pendingTimers).toBe(1);
    await stop();
    await stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('has the store that the definition makes', async () => {
    let stops = 0;
    const stop = async (): Promise<void> => void stops++;
    const own: ResourceStore & { stop(): Promise<void> } = { get: () => new Uint8Array([1]), stop };
    const sub = (parent: ResourceStore): ResourceStore => {
      parents.push(parent);
      return own;
    };
    const parents: ResourceStore[] = [];
    const { storageVersion: _, ...rest } = thingDefinition();
    const definition = {
      ...rest,
      storageVersion: undefined,
      store: () => own,
      subresources: [{ name: 'sub', store: sub }],
    };
    const open = openResource(definition, testHost().host);
    expect([open.store, open.registry, open.subresources.get('sub')?.store, parents]).toEqual([
      own,
      undefined,
      own,
      [own],
    ]);
    await open.stop();
    expect(stops).toBe(1);
  });

  it('needs a storage version, and a registry store for updateSubresource', () => {
    const { host } = testHost();
    const thrown = (task: () => unknown): unknown => {
      try {
        return task();
      } catch (caught) {
        return caught;
      }
    };
    expect(isBugError(thrown(() => openResource(thingDefinition({ storageVersion: undefined }), host)))).toBe(true);
    const definition = thingDefinition({ store: () => ({}), subresources: [updateSubresource('status', strategy)] });
    expect(isBugError(thrown(() => openResource(definition, host)))).toBe(true);
  });
});
