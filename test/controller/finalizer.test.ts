import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/apimachinery/http/transport.ts';
import { createClient } from '../../src/client/create-client.ts';
import { after as afterSpan, done, operator, type Result } from '../../src/controller/index.ts';
import { Foo, until } from './plane.fixtures.ts';
import { testOperators } from './running.fixtures.ts';

const tools = testOperators();

describe('a finalizer', () => {
  it('is added before the first reconcile, runs on deletion, and is removed when it is done', async () => {
    const { run, newFoo, foos, plane, namespace, log } = tools();
    const events: string[] = [];
    const results: Result[] = [afterSpan('5s'), done];
    run(
      operator('dns')
        .for(Foo)
        .finalizer('example.com/dns', ({ object, why }) => {
          events.push(`finalize ${object.spec.config} because of ${why.join()}`);
          return results.shift();
        })
        .gone(() => void events.push('gone'))
        .reconcile(({ object }) => void events.push(`reconcile with ${object.metadata.finalizers?.join()}`)),
    );
    await newFoo('a', { config: 'www' });
    await until(() => events.length === 2);
    expect(events).toEqual(['reconcile with example.com/dns', 'reconcile with example.com/dns']);
    expect(log.of('reconciled').map(({ fields }) => fields['why'])).toEqual([
      `Foo ${namespace}/a added`,
      'own finalizer',
    ]);
    events.length = 0;
    await foos.delete('a');
    await until(() => log.of('reconciled').length === 3);
    await plane.clock.advance(4_999);
    expect(events).toEqual([`finalize www because of Foo ${namespace}/a updated`]);
    await plane.clock.advance(1);
    await until(() => events.includes('gone'));
    expect(events.slice(1)).toEqual(['finalize www because of requeue after 5s', 'gone']);
    expect(await foos.find('a')).toBeUndefined();
  });

  it('is kept while its function fails, and the others run in order', async () => {
    const { run, newFoo, foos, plane, log } = tools();
    const events: string[] = [];
    let broken = true;
    run(
      operator('two', { backoff: { initialMs: 100, capMs: 100 } })
        .for(Foo, { when: 'generation' })
        .finalizer('example.com/first', () => void events.push('first'))
        .finalizer('example.com/second', () => {
          events.push('second');
          if (broken) throw new TypeError('not now');
        })
        .reconcile(() => void events.push('reconcile')),
    );
    await newFoo('a');
    await until(() => events.includes('reconcile'));
    expect((await foos.get('a')).metadata.finalizers).toEqual(['example.com/first', 'example.com/second']);
    await foos.delete('a');
    await until(() => log.of('reconcile failed').length === 1);
    expect((await foos.get('a')).metadata.finalizers).toEqual(['example.com/second']);
    broken = false;
    await plane.clock.advance(100);
    await until(async () => (await foos.find('a')) === undefined);
    expect(events).toEqual(['reconcile', 'first', 'second', 'second']);
  });

  it('survives conflicts with other writers, and never undoes their changes', async () => {
    const { run, newFoo, foos, plane } = tools();
    let conflicts = 0;
    /** Before each change of finalizers, another program changes the object. */
    const racing =
      (transport: Transport): Transport =>
      async (request) => {
        const isChange = request.method === 'PATCH' && new TextDecoder().decode(request.body).includes('"finalizers"');
        if (isChange && conflicts < 6) {
          conflicts++;
          const body = {
            metadata: {
              labels: { race: String(conflicts) },
              finalizers: ['other.com/x', 'example.com/mine'].slice(0, conflicts > 3 ? 2 : 1),
            },
          };
          await plane.client.api(Foo, foos.namespace as string).patch('a', { type: 'merge', body });
        }
        return transport(request);
      };
    let reconciled = 0;
    let finalized = 0;
    run(
      operator('racing')
        .for(Foo, { when: 'generation' })
        .finalizer('example.com/mine', () => void finalized++)
        .reconcile(() => void reconciled++),
      { client: createClient(racing(plane.client.transport)) },
    );
    await newFoo('a');
    await until(() => reconciled === 1);
    expect(conflicts).toBe(4);
    expect((await foos.get('a')).metadata.finalizers).toEqual(['other.com/x', 'example.com/mine']);
    await foos.delete('a');
    await until(async () => (await foos.get('a')).metadata.finalizers?.length === 1);
    expect(conflicts).toBe(6);
    expect((await foos.get('a')).metadata).toMatchObject({ finalizers: ['other.com/x'], labels: { race: '6' } });
    expect(finalized).toBe(1);
    await foos.patch('a', { type: 'merge', body: { metadata: { finalizers: [] } } });
  });

  it('is not added to an object that is being deleted', async () => {
    const { run, foos } = tools();
    await foos.create({ metadata: { name: 'a', finalizers: ['other.com/x'] }, spec: {} });
    await foos.delete('a');
    const events: string[] = [];
    run(
      operator('late')
        .for(Foo, { reconcileDeleted: true })
        .finalizer('example.com/mine', () => void events.push('finalize'))
        .reconcile(({ object }) => void events.push(`reconcile ${object.metadata.finalizers?.join()}`)),
    );
    await until(() => events.length === 1);
    expect(events).toEqual(['reconcile other.com/x']);
    await foos.patch('a', { type: 'merge', body: { metadata: { finalizers: [] } } });
  });
});
