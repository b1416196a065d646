// The bank in a SQLite file. The transfer is one SQL statement over two rows.
import { table } from 'keelson/extension';
import sqlite from 'node-sqlite3-wasm';
import { type Bank, COLUMNS } from './bank.ts';

// Triggers of the table log the change of both rows, so watches of both accounts see it.
const TRANSFER = `
  WITH source AS (SELECT balance FROM accounts WHERE namespace = :namespace AND name = :from AND balance >= :amount),
       target AS (SELECT balance FROM accounts WHERE namespace = :namespace AND name = :to)
  UPDATE accounts
  SET object = json_set(object, '$.status.balance', balance + CASE name WHEN :from THEN -:amount ELSE :amount END)
  WHERE namespace = :namespace AND name IN (:from, :to) AND EXISTS (SELECT 1 FROM source) AND EXISTS (SELECT 1 FROM target)
  RETURNING name, balance`;

export function sqliteBank(file: string): Bank {
  const database = new sqlite.Database(file);
  const accounts = table(async (sql, params) => database.all(sql, [...params]), 'accounts', {
    dialect: 'sqlite',
    columns: COLUMNS,
  });
  return {
    accounts,
    async transfer({ namespace, from, to, amount }) {
      const changed = database.all(TRANSFER, { ':namespace': namespace, ':from': from, ':to': to, ':amount': amount });
      accounts.wake();
      return changed.length === 2;
    },
    async stop() {
      database.close();
    },
  };
}
