import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../base/json-value.ts';
import { defineResource } from '../define-resource.ts';
import { action } from './action.ts';
import type { ObjectIdentity } from './resource-object.ts';
import { listMap, rule } from './schema-helpers.ts';

const Card = z.object({ name: z.string(), limit: z.int().default(100) });
const Transfer = z.object({ to: z.string(), amount: z.int().positive() });
const Receipt = z.object({ balance: z.int() });
const NAMES = { group: 'bank.example.com', version: 'v1', kind: 'Account' } as const;

describe('the types of a declared resource', () => {
  it('come from the schemas of a schema library', () => {
    defineResource({
      ...NAMES,
      spec: z.object({ owner: z.string(), cards: z.array(Card).meta(listMap('name')) }).meta(rule('self.owner != ""')),
      status: z.object({ balance: z.int() }),
      columns: {
        Balance: (account) => {
          expectTypeOf(account.status?.balance).toEqualTypeOf<number | undefined>();
          return account.status?.balance;
        },
        Owner: { value: ({ spec }) => spec.owner, wide: true },
      },
      validate: (next, old, context) => {
        expectTypeOf(next.spec.cards).toEqualTypeOf<{ name: string; limit: number }[]>();
        expectTypeOf(old?.spec.owner).toEqualTypeOf<string | undefined>();
        expectTypeOf(context.dryRun).toEqualTypeOf<boolean>();
        return [];
      },
      mutate: (draft) => {
        draft.spec.owner = draft.spec.owner.trim();
        draft.metadata.labels = { owner: draft.spec.owner };
      },
      read: (account) => account,
      actions: {
        transfer: {
          body: Transfer,
          result: Receipt,
          run: async (account, body, context) => {
            expectTypeOf(account.spec.owner).toEqualTypeOf<string>();
            expectTypeOf(body).toEqualTypeOf<{ to: string; amount: number }>();
            const after = await context.update((changed) => {
              changed.status = { balance: 1 };
            });
            return { balance: after.status?.balance ?? 0 };
          },
        },
        close: action(Transfer, (account: { spec: { owner: string } }, body) => {
          expectTypeOf(body).toEqualTypeOf<{ to: string; amount: number }>();
          return { owner: account.spec.owner };
        }),
        ping: action({ type: 'object' }, (account, body) => {
          expectTypeOf(account.metadata).toEqualTypeOf<ObjectIdentity['metadata']>();
          expectTypeOf(body).toEqualTypeOf<JsonObject>();
          return undefined;
        }),
      },
      streams: {
        statement: (account, socket) => {
          expectTypeOf(account.spec.owner).toEqualTypeOf<string>();
          socket.send(account.spec.owner);
        },
        shell: { connect: (account, socket) => void socket.send(account.metadata.name), requiresCreate: true },
      },
    });
  });

  it('are given for plain JSON Schema, or are JSON objects', () => {
    defineResource<{ spec: { size: number } }>({
      ...NAMES,
      spec: { type: 'object', properties: { size: { type: 'integer' } } },
      validate: ({ spec }) => {
        expectTypeOf(spec).toEqualTypeOf<{ size: number }>();
        return [];
      },
    });
    defineResource<{ spec: { owner: string } }>({ ...NAMES, spec: z.object({ owner: z.string() }) });
    defineResource({
      ...NAMES,
      spec: { type: 'object', properties: { size: { type: 'integer' } } },
      validate: ({ spec }) => {
        expectTypeOf(spec).toEqualTypeOf<JsonObject>();
        return [];
      },
    });
    defineResource({
      ...NAMES,
      schema: { type: 'object' },
      validate: (object) => {
        expectTypeOf(object['data']).not.toBeAny();
        return [];
      },
    });
  });
});
