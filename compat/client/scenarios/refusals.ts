/** Requests that the server refuses for other reasons than the object. */
import { untypedKind } from '../../../src/client/index.ts';
import { SelfSubjectAccessReview } from '../../../src/kinds/api/authorization/v1.ts';
import { ConfigMap, Namespace, Secret } from '../../../src/kinds/api/core/v1.ts';
import type { Scenario } from '../scenario.ts';

export const refusals: Scenario = {
  name: 'refusals',
  async run({ client, as, namespace, step }) {
    const alice = await as('alice');
    await step('forbidden get', () => alice.api(Secret, namespace).get('x'));
    await step('forbidden list', () => alice.all(Secret).listPage());
    await step('forbidden cluster scope', () => alice.api(Namespace).create({ metadata: { name: 'x' } }));
    await step('forbidden watch', async () => {
      for await (const _ of alice.api(Secret, namespace).watch()) break;
    });
    await step('review', () =>
      alice
        .api(SelfSubjectAccessReview)
        .create({ spec: { resourceAttributes: { verb: 'get', resource: 'secrets', namespace } } }),
    );
    const unknown = await as('unknown');
    await step('unauthorized', () => unknown.api(ConfigMap, namespace).get('x'));
    await step('a list of reviews', () => client.api(SelfSubjectAccessReview).listPage());
    const missing = untypedKind({
      group: 'missing.example.com',
      version: 'v1',
      kind: 'Missing',
      plural: 'missings',
      scope: 'Cluster',
    });
    await step('an unknown group', () => client.api(missing).get('x'));
    await step('an unknown resource', () => client.api({ ...missing, group: 'apps' }).get('x'));
    await step('find an unknown resource', () => client.api(missing).find('x'));
    const big = { metadata: { name: 'big' }, data: { text: 'x'.repeat(4 * 1024 * 1024) } };
    await step('a body that is too large', () => client.api(ConfigMap, namespace).create(big));
    await step('wrong scope', async () => client.api(ConfigMap, undefined));
    await step('empty namespace', async () => client.api(ConfigMap, '').get('x'));
  },
};
