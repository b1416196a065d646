import { describe, expect, it } from 'vitest';
import { CREATE, parse, strategy, thing, things, v1 } from '../registry/thing.fixtures.ts';
import { ownContext } from './own-context.ts';

describe('the context of an operation by the server itself', () => {
  it('names a user who may do anything, and has no deadline', async () => {
    const { clock } = await things();
    const { request, ...where } = ownContext(clock, 'create', { version: v1, namespace: 'ns', name: 'a' });
    expect(where).toEqual({ version: v1, namespace: 'ns', name: 'a' });
    expect(request.user).toMatchObject({ name: 'system:apiserver', groups: ['system:masters'] });
    expect([request.verb, request.deadline]).toEqual(['create', Number.POSITIVE_INFINITY]);
  });

  it('lets a strategy date what it writes with the time of the clock', async () => {
    const { store, clock } = await things({
      strategy: {
        ...strategy,
        prepareForCreate: (object, { request }) => {
          object['status'] = { since: new Date(request.receivedAt).toISOString() };
        },
      },
    });
    await clock.advance(5000);
    const context = ownContext(clock, 'create', { version: v1, namespace: 'ns', name: '' });
    const { bytes } = await store.create(context, thing('a'), CREATE);
    expect(parse(bytes).status).toEqual({ since: '2030-01-01T00:00:05.000Z' });
  });
});
