// The database of the bank: a SQLite file, and the transfer, which is one SQL statement over two rows.
import { type Query, table } from 'keelson/extension';
import sqlite from 'node-sqlite3-wasm';

export const database = new sqlite.Database(process.env['BANK_FILE'] ?? 'bank.db');

const query: Query = async (sql, params) => database.all(sql, [...params]);

/** The accounts. SQL users see the owner and the balance as columns. */
export const accounts = table(query, 'accounts', {
  dialect: 'sqlite',
  columns: { owner: 'spec.owner', balance: { path: 'status.balance', type: 'integer' } },
});

// Triggers of the table log the change of both rows, so watches of both accounts see it.
const TRANSFER = `
  WITH source AS (SELECT balance FROM accounts WHERE namespace = :namespace AND name = :from AND balance >= :amount),
       target AS (SELECT balance FROM accounts WHERE namespace = :namespace AND name = :to)
  UPDATE accounts
  SET object = json_set(object, '$.status.balance', balance + CASE name WHEN :from THEN -:amount ELSE :amount END)
  WHERE namespace = :namespace AND name IN (:from, :to) AND EXISTS (SELECT 1 FROM source) AND EXISTS (SELECT 1 FROM target)
  RETURNING name, balance`;

export interface Transfer {
  readonly namespace: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
}

/** Moves money. Returns false, and changes nothing, if the balance is too low or an account does not exist. */
export function transfer({ namespace, from, to, amount }: Transfer): boolean {
  const changed = database.all(TRANSFER, { ':namespace': namespace, ':from': from, ':to': to, ':amount': amount });
  accounts.wake();
  return changed.length === 2;
}
