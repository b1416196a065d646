/** Lists in pages, with selectors and revisions. */
import { isExpired } from '../../../src/client/index.ts';
import { ConfigMap } from '../../../src/kinds/api/core/v1.ts';
import type { Scenario } from '../scenario.ts';

export const lists: Scenario = {
  name: 'lists',
  async run({ client, namespace, step, note }) {
    const maps = client.api(ConfigMap, namespace);
    const created = [];
    for (let i = 10; i < 35; i++)
      created.push(await maps.create({ metadata: { name: `m${i}`, labels: { parity: i % 2 ? 'odd' : 'even' } } }));
    const names = (objects: readonly { metadata: { name: string } }[]): string[] =>
      objects.map(({ metadata }) => metadata.name);
    await step('first page', async () => {
      const { items, continueToken, ...rest } = await maps.listPage({ limit: 10 });
      return { items, remaining: rest.remainingItemCount, more: continueToken !== '' };
    });
    await step('pages', async () => {
      const pages = [];
      for (let token = '', i = 0; i === 0 || token !== ''; i++) {
        const page = await maps.listPage({ limit: 10, continueToken: token });
        pages.push({ names: names(page.items), remaining: page.remainingItemCount, more: page.continueToken !== '' });
        token = page.continueToken;
      }
      return pages;
    });
    await step('all, by pages of 7', async () => names(await maps.list({ pageSize: 7 }).toArray()));
    await step('all at once', async () => names(await maps.list({ pageSize: 0 }).toArray()));
    await step('a loop that is left', async () => {
      const seen = [];
      for await (const map of maps.list({ pageSize: 3 })) if (seen.push(map.metadata.name) === 5) break;
      return seen;
    });
    await step('by label', async () => names(await maps.list({ labelSelector: 'parity in (odd)' }).toArray()));
    await step('by field', async () => names(await maps.list({ fieldSelector: 'metadata.name=m12' }).toArray()));
    await step('a bad label selector', () => maps.listPage({ labelSelector: 'a==b==c' }));
    await step('a bad field selector', () => maps.listPage({ fieldSelector: 'data.k=v' }));
    await step('in all namespaces', async () =>
      names(
        await client
          .all(ConfigMap)
          .list({ fieldSelector: `metadata.namespace=${namespace}` })
          .toArray(),
      ),
    );
    const at = created[4]?.metadata.resourceVersion ?? '';
    await step('at an exact revision', async () =>
      names((await maps.listPage({ resourceVersion: at, resourceVersionMatch: 'Exact' })).items),
    );
    await step('not older than a revision', async () =>
      names((await maps.listPage({ resourceVersion: at, resourceVersionMatch: 'NotOlderThan' })).items),
    );
    await step('a bad revision', () => maps.listPage({ resourceVersion: 'x' }));
    await step('a bad token', () => maps.listPage({ limit: 1, continueToken: 'nonsense' }));
    await step('a token with a revision', () => maps.listPage({ continueToken: 'x', resourceVersion: '5' }));
    await maps.listPage({ resourceVersion: '1', resourceVersionMatch: 'Exact' }).catch((caught: unknown) => {
      note('a revision that is gone', isExpired(caught));
    });
  },
};
