import { describe, expect, it } from 'vitest';
import { settle } from '../../base/virtual-clock.ts';
import { storageSuite } from '../../storage/storage.suite.ts';
import type { SuiteCase } from '../../storage/suite/context.ts';
import { runSuiteCase, type SuiteDriver, skipReason } from '../../storage/suite/run-case.ts';
import { type FakeMode, FakeRows, keyOf } from './fake-rows.fixtures.ts';
import type { RowCodec } from './row-codec.ts';
import { rowsSuite } from './rows.suite.ts';
import { createRowsStorage } from './rows-storage.ts';

/** The suite writes any bytes under any key. Here they are a field of an object with the key as its name. */
const BYTES: RowCodec = {
  keyOf: ({ name }) => name,
  rowOf: (key) => ({ namespace: '', name: key }),
  nameOf: keyOf,
  encode: ({ data }) => new Uint8Array(Buffer.from(String(data), 'base64')),
  decode: (value, key) => ({ metadata: { name: key }, data: Buffer.from(value).toString('base64') }),
};

function driver(mode: FakeMode): SuiteDriver {
  return {
    open: (clock) =>
      createRowsStorage({
        rows: new FakeRows(mode),
        codec: BYTES,
        clock,
        onTrouble: (error) => expect.unreachable(error.message),
        firstRevision: () => 1,
      }),
    fork: false,
  };
}

/** Rows are written one at a time, so cases with a transaction of several keys do not apply. */
const WITH_TRANSACTIONS = new Set([
  'list: a list shows one state, however many writers there are',
  'transaction: the writes of a transaction share one revision and become visible together',
  'transaction: a transaction whose check fails changes nothing and returns the state of every checked key',
  'transaction: a check for a missing key fails if the key exists, and a check for a revision fails if it does not',
  'transaction: a transaction that changes nothing takes no revision',
  'transaction: the no-op writes of a transaction that changes something leave their keys as they are',
  'transaction: concurrent transfers between accounts keep the sum',
  'transaction: a transaction may have as many checks and writes as the limit allows, and no more',
  'watch under load: under concurrent writers every event is delivered once, in order, in whole revisions',
  'watch under load: watches that begin under load miss nothing and repeat nothing',
  'watch under load: a watch from state under load has no gap between its state and its changes',
  'watch under load: many watchers see the same events in the same order',
  'watch under load: the events of a transaction are delivered in one call, in the order of its writes',
]);

/** The reason for which a case does not apply to rows. */
function reason(each: SuiteCase): string | undefined {
  if (each.name.startsWith('time to live') || each.name.startsWith('stop: stopping a store leaves no timer'))
    return 'rows have no time to live';
  return WITH_TRANSACTIONS.has(each.name) ? 'rows have no transactions' : undefined;
}

for (const mode of ['polled', 'changes', 'sequenced'] as const) {
  describe(`the storage suite on ${mode} rows`, () => {
    for (const each of storageSuite)
      it.skipIf(skipReason(each, driver(mode)) !== undefined || reason(each) !== undefined)(each.name, () =>
        runSuiteCase(each, driver(mode)),
      );
  });
}

describe('the rows suite on the fake', async () => {
  for (const mode of ['polled', 'changes', 'sequenced'] as const)
    for (const { name, run } of await rowsSuite(() => new FakeRows(mode))) it(`${mode}: ${name}`, run);
  await settle();
});
