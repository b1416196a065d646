import { describe, expect, it } from 'vitest';
import { StatusError } from '../../apimachinery/status/status.ts';
import { internalError, serviceUnavailable } from '../../apimachinery/status/status-catalogue.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { toError } from '../../base/errors.ts';
import { StorageError } from '../../storage/errors.ts';
import type { Answer } from '../http/exchange.ts';
import { storageFailure } from '../registry/storage-status.ts';
import { parseAuditPolicy } from './audit/audit-policy.ts';
import { FakeIncoming, testChain } from './filters.fixtures.ts';

const THINGS = { group: '', resource: 'things' };

function failing(caught: unknown) {
  return testChain({
    dispatch: () => {
      throw caught;
    },
  });
}

describe('the log line of a server error', () => {
  it('has the reason, the error and its stack', async () => {
    const damaged = new StorageError('Corrupt', 'the record of key "a" is damaged');
    const { handler, log } = failing(storageFailure(damaged, THINGS, 'get'));
    await handler(new FakeIncoming());
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toMatchObject({ level: 'error', fields: { code: 500, reason: 'InternalError' } });
    expect(log.lines[0]?.error).toBe(damaged);
    expect(log.lines[0]?.error?.stack).toContain('failure-log.test.ts');
  });

  it('has the stack of a Status without another cause', async () => {
    const { handler, log } = failing(new StatusError(internalError('no port is free')));
    await handler(new FakeIncoming());
    expect(log.lines[0]?.error?.message).toBe('Internal error occurred: no port is free');
    expect(log.lines[0]?.error?.stack).toContain('failure-log.test.ts');
  });

  it('has the reason if a rejected promise is answered through the audit filter', async () => {
    const { policy } = parseAuditPolicy('{"apiVersion":"audit.k8s.io/v1","rules":[{"level":"Metadata"}]}', 'p');
    const { handler, log } = testChain({
      dispatch: () => Promise.reject(new StatusError(serviceUnavailable('nothing runs'))),
      audit: { policy, sink: { write: () => undefined } },
    });
    await handler(new FakeIncoming());
    expect(log.lines.map(({ error, fields }) => [error?.message, fields['reason'], fields['code']])).toEqual([
      ['nothing runs', 'ServiceUnavailable', 503],
    ]);
  });

  it('has the text of an answer that was not made from an error', async () => {
    const plain = (text: string): Answer => ({
      kind: 'bytes',
      status: 500,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: encodeUtf8(text),
    });
    const answers = [plain('[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n'), plain('broken\n')];
    const { handler, log } = testChain({ dispatch: () => answers.shift() as Answer });
    await handler(new FakeIncoming());
    await handler(new FakeIncoming());
    expect(log.lines.map(({ fields }) => fields['error'])).toEqual(['[-]etcd failed: reason withheld', 'broken']);
  });

  it('is one line for a full disk, however many requests fail', async () => {
    const { handler, log, clock } = testChain({
      dispatch: () => {
        throw storageFailure(new StorageError('NoSpace', 'the disk is full'), THINGS, 'create');
      },
    });
    for (let i = 0; i < 5; i++) await handler(new FakeIncoming());
    await clock.advance(10_000);
    await handler(new FakeIncoming());
    expect(log.lines.map(({ error, fields }) => [toError(error).message, fields['suppressed']])).toEqual([
      ['the disk is full', undefined],
      ['the disk is full', 4],
    ]);
  });
});
