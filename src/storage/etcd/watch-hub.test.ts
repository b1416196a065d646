import { describe, expect, it } from 'vitest';
import type { GrpcDuplexSink } from '../../base/grpc.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { EtcdClient } from './etcd-client.ts';
import { type HubWatch, WatchHub } from './watch-hub.ts';

const CREATED = Uint8Array.of(0x18, 1);

function put(key: string, revision: number): Uint8Array {
  const text = new TextEncoder().encode(key);
  const item = [0x0a, text.length, ...text, 0x10, revision, 0x18, revision];
  const event = [0x12, item.length, ...item];
  return Uint8Array.of(0x0a, 2, 0x18, revision, 0x5a, event.length, ...event);
}

async function startHub(): Promise<{
  readonly hub: WatchHub;
  /** Sends events that arrive in one read of the connection. */
  send(...events: readonly (readonly [key: string, revision: number])[]): Promise<void>;
}> {
  let stream: GrpcDuplexSink | undefined;
  const client: Pick<EtcdClient, 'stream'> = {
    stream: (_, sink) => {
      stream = sink;
      return { send: () => {}, close: () => {} };
    },
  };
  const hub = new WatchHub({
    watcher: {
      client: client as EtcdClient,
      clock: new VirtualClock(),
      key: 'r/',
      end: 'r0',
      confirm: () => Promise.resolve(1),
      marker: () => undefined,
      onHeader: () => {},
    },
    toEvent: ({ item: { key, value, revision, created } }) => ({ type: 'put', key, value, revision, created }),
    onCompacted: () => {},
  });
  await hub.ready();
  stream?.message(CREATED);
  return {
    hub,
    send: async (...events) => {
      for (const [key, revision] of events) stream?.message(put(key, revision));
      await Promise.resolve();
    },
  };
}

/** A watch that takes the keys of its prefixes, as watches of the store do, and counts the calls. */
function watchOf(...prefixes: readonly string[]): HubWatch & { readonly keys: string[]; calls: number } {
  const watch = {
    prefixes,
    keys: [] as string[],
    calls: 0,
    deliver: (events: readonly { readonly key: string }[]) => {
      watch.calls++;
      for (const { key } of events) if (prefixes.some((prefix) => key.startsWith(prefix))) watch.keys.push(key);
    },
    reached: () => {},
    overtaken: () => {},
    failed: () => {},
  };
  return watch;
}

describe('the hub', () => {
  it('hands the events of a resource to the watches that may have them', async () => {
    const { hub, send } = await startHub();
    const all = watchOf('');
    const scope = watchOf('r/');
    const pods = watchOf('r/pods/');
    const some = watchOf('r/nodes/', 'r/pods/b/');
    const roles = watchOf('r/rbac.x/roles/');
    const watches = [all, scope, pods, some, roles];
    for (const watch of watches) hub.join(watch);
    await send(['r/pods/a/1', 2], ['r/pods/b/1', 3]);
    await send(['r/rbac.x/roles/1', 4]);
    expect(watches.map(({ calls }) => calls)).toEqual([2, 2, 1, 1, 1]);
    await send(['r/pods/b/2', 5], ['r/rbac.x/bindings/1', 6], ['r/nodes/1', 7]);
    const others = ['r/rbac.x/roles/1', 'r/pods/b/2', 'r/rbac.x/bindings/1', 'r/nodes/1'];
    expect(watches.map(({ keys }) => keys)).toEqual([
      ['r/pods/a/1', 'r/pods/b/1', ...others],
      ['r/pods/a/1', 'r/pods/b/1', ...others],
      ['r/pods/a/1', 'r/pods/b/1', 'r/pods/b/2'],
      ['r/pods/b/1', 'r/pods/b/2', 'r/nodes/1'],
      ['r/rbac.x/roles/1'],
    ]);
  });

  it('hands events to watches that join, and not to those that left', async () => {
    const { hub, send } = await startHub();
    const [first, second] = [watchOf('r/pods/'), watchOf('r/pods/')];
    hub.join(first);
    await send(['r/pods/1', 2]);
    hub.join(second);
    await send(['r/pods/2', 3]);
    hub.leave(first);
    await send(['r/pods/3', 4]);
    expect([first.keys, second.keys]).toEqual([
      ['r/pods/1', 'r/pods/2'],
      ['r/pods/2', 'r/pods/3'],
    ]);
  });
});
