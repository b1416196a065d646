/** Watches: events, selectors, initial events, ends and failures. */
import type { Stored, WatchEvent } from '../../../src/client/index.ts';
import { isExpired, statusOf } from '../../../src/client/index.ts';
import { ConfigMap } from '../../../src/kinds/api/core/v1.ts';
import type { Scenario } from '../scenario.ts';

/** Reads events until `isLast` is true of one, or the watch ends. */
async function read(
  watch: AsyncIterable<WatchEvent<Stored<ConfigMap>>>,
  isLast: (event: WatchEvent<Stored<ConfigMap>>) => boolean = () => false,
): Promise<WatchEvent<Stored<ConfigMap>>[]> {
  const events = [];
  for await (const event of watch) {
    events.push(event);
    if (isLast(event)) break;
  }
  return events;
}

const named = (name: string) => (event: WatchEvent<Stored<ConfigMap>>) =>
  (event.object['metadata'] as { name?: string }).name === name;

export const watches: Scenario = {
  name: 'watches',
  async run({ client, namespace, step, note }) {
    const maps = client.api(ConfigMap, namespace);
    const { resourceVersion } = await maps.listPage();
    await maps.create({ metadata: { name: 'a', labels: { on: 'yes' } } });
    await maps.patch('a', { type: 'merge', body: { data: { k: 'v' } } });
    await maps.patch('a', { type: 'merge', body: { metadata: { labels: { on: 'no' } } } });
    await maps.patch('a', { type: 'merge', body: { metadata: { labels: { on: 'yes' } } } });
    await maps.delete('a');
    await maps.create({ metadata: { name: 'last', labels: { on: 'yes' } } });
    const from = { resourceVersion, allowBookmarks: false };
    await step('events', () => read(maps.watch(from), named('last')));
    await step('by label', () => read(maps.watch({ ...from, labelSelector: 'on=yes' }), named('last')));
    await step('by name', () => read(maps.watch({ ...from, fieldSelector: 'metadata.name=last' }), named('last')));
    await step('of all namespaces', async () =>
      (
        await read(
          client.all(ConfigMap).watch({ ...from, fieldSelector: `metadata.namespace=${namespace}` }),
          named('last'),
        )
      ).map(({ type }) => type),
    );
    await step('the present state', () => read(maps.watch({ allowBookmarks: false }), named('last')));
    await step('initial events', async () => {
      const events = await read(maps.watch({ sendInitialEvents: true }), ({ type }) => type === 'BOOKMARK');
      return events.map(({ type, object }) => ({ type, object }));
    });
    await step('the end by its timeout', () => read(maps.watch({ ...from, timeoutSeconds: 1 })));
    await step('a revision that is gone', async () => {
      try {
        const [event] = await read(maps.watch({ resourceVersion: '1', allowBookmarks: false }), () => true);
        const { code, reason } = (event?.object ?? {}) as { code?: number; reason?: string };
        return { event: event?.type, code, reason };
      } catch (caught) {
        return { failure: isExpired(caught), code: statusOf(caught)?.code };
      }
    });
    await step('a bad revision', () => read(maps.watch({ resourceVersion: 'x' })));
    await step('a bad selector', () => read(maps.watch({ fieldSelector: 'a=b' })));
    const abort = new AbortController();
    const reason = new RangeError('enough');
    const reading = read(maps.watch({ ...from, signal: abort.signal }), (event) => {
      if (named('last')(event)) abort.abort(reason);
      return false;
    });
    note(
      'an abort rejects with its reason',
      await reading.then(
        () => 'ended',
        (caught) => caught === reason,
      ),
    );
    const live = read(maps.watch({ allowBookmarks: false }), named('live'));
    await maps.create({ metadata: { name: 'live' } });
    note('a live event', (await live).at(-1)?.type);
  },
};
