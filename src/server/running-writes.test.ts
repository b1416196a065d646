import { describe, expect, it } from 'vitest';
import { FakeIncoming } from './filters/filters.fixtures.ts';
import { parseRequestInfo } from './http/request-info.ts';
import { ServerRequest } from './http/server-request.ts';
import { RunningWrites } from './running-writes.ts';

function write(namespace: string): ServerRequest {
  const target = `/api/v1/namespaces/${namespace}/configmaps`;
  const parsed = parseRequestInfo('POST', target);
  if (!parsed.ok) throw new TypeError(parsed.problem);
  return new ServerRequest(new FakeIncoming({ method: 'POST', target }), parsed.info, 0);
}

describe('running writes', () => {
  it('are waited for by namespace, and only those that ran at the call', async () => {
    const writes = new RunningWrites();
    const [first, second, later, elsewhere] = [write('a'), write('a'), write('a'), write('b')];
    for (const request of [first, second, elsewhere]) writes.begin(request);
    const order: string[] = [];
    const ended = writes.ended('a')?.then(() => order.push('ended'));
    writes.begin(later);
    writes.end(first);
    await Promise.resolve();
    order.push('one has ended');
    writes.end(second);
    await ended;
    expect(order).toEqual(['one has ended', 'ended']);
    expect(writes.ended('a')).toBeDefined();
    writes.end(later);
    expect(writes.ended('a')).toBeUndefined();
  });

  it('wake every waiter of their namespace', async () => {
    const writes = new RunningWrites();
    const request = write('a');
    writes.begin(request);
    const waiting = [writes.ended('a'), writes.ended('a')];
    expect(writes.ended('b')).toBeUndefined();
    writes.end(request);
    await Promise.all(waiting);
  });
});
