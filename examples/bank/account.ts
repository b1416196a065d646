// The kind Account: rows in the database, the action `transfer`, and the stream `statement`.
import { defineResource, type ResourceDefinition } from 'keelson/extension';
import { FieldPath, invalid, StatusError, statuses } from 'keelson/server';
import type { Bank } from './bank.ts';

interface Account {
  readonly spec: { readonly owner: string };
  status?: { balance: number };
}

const GROUP = { group: 'bank.example.com', resource: 'accounts' };

export function accountResource({ accounts, transfer }: Bank): ResourceDefinition {
  return defineResource<Account>({
    group: 'bank.example.com',
    version: 'v1',
    kind: 'Account',
    description: 'An account of the bank.',
    shortNames: ['acc'],
    spec: {
      type: 'object',
      required: ['owner'],
      properties: { owner: { type: 'string', minLength: 1, description: 'The person that the money belongs to.' } },
      'x-kubernetes-validations': [{ rule: 'self.owner == oldSelf.owner', message: 'an account keeps its owner' }],
    },
    status: {
      type: 'object',
      properties: { balance: { type: 'integer', format: 'int64', description: 'In cents.' } },
    },
    columns: {
      Owner: ({ spec }) => spec.owner,
      Balance: { value: ({ status }) => status?.balance ?? 0, type: 'integer' },
    },
    validate: ({ status }) =>
      (status?.balance ?? 0) < 0
        ? [invalid(FieldPath.of('status', 'balance'), status?.balance ?? 0, 'an account has no debts')]
        : [],
    rows: accounts,
    actions: {
      // kubectl create --raw /apis/bank.example.com/v1/namespaces/default/accounts/ada/transfer -f transfer.json
      transfer: {
        body: {
          type: 'object',
          required: ['to', 'amount'],
          properties: { to: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
        },
        description: 'Moves money to another account of the namespace.',
        run: async ({ metadata }, body) => {
          const { to, amount } = body as { to: string; amount: number };
          const { name, namespace = '' } = metadata;
          if (!(await transfer({ namespace, from: name, to, amount })))
            throw new StatusError(
              statuses.conflict(GROUP, name, `the balance is below ${amount}, or there is no account ${to}`),
            );
          return { to, amount };
        },
      },
    },
    streams: {
      // Sends the balance now, and again after each change.
      statement: async ({ metadata, status }, socket, { signal }) => {
        socket.send(JSON.stringify({ balance: status?.balance ?? 0 }));
        for await (const change of accounts.changes!(undefined, signal)) {
          if (change.type === 'remove' && change.key.name === metadata.name)
            socket.close(1000, 'the account is closed');
          if (change.type !== 'put') continue;
          const next = change.row.object as unknown as Account & { metadata: { name: string; namespace: string } };
          if (next.metadata.name !== metadata.name || next.metadata.namespace !== metadata.namespace) continue;
          socket.send(JSON.stringify({ balance: next.status?.balance ?? 0 }));
        }
      },
    },
  });
}
