// The bank in PostgreSQL. Several servers may share the table: NOTIFY of its triggers wakes them.
import { table } from 'keelson/extension';
import { Pool } from 'pg';
import { type Bank, COLUMNS, type Transfer } from './bank.ts';

// The lock keeps other writers out, so the balance that the statement reads is the balance that it changes.
const LOCK = 'LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE';
const TRANSFER = `
  UPDATE accounts
  SET object = jsonb_set(object::jsonb, '{status,balance}',
    to_jsonb(balance + CASE name WHEN $2 THEN -$4::bigint ELSE $4::bigint END))::json
  WHERE namespace = $1 AND name IN ($2, $3)
    AND EXISTS (SELECT FROM accounts WHERE namespace = $1 AND name = $2 AND balance >= $4::bigint)
    AND EXISTS (SELECT FROM accounts WHERE namespace = $1 AND name = $3)
  RETURNING name`;

export async function postgresqlBank(url: string): Promise<Bank> {
  const pool = new Pool({ connectionString: url });
  const accounts = table((sql, params) => pool.query(sql, [...params]), 'accounts', { columns: COLUMNS });
  const listener = await pool.connect();
  listener.on('notification', () => accounts.wake());
  await listener.query('LISTEN accounts_changes');
  return {
    accounts,
    transfer: (transfer) => transferIn(pool, transfer),
    async stop() {
      listener.release(true);
      await pool.end();
    },
  };
}

async function transferIn(pool: Pool, { namespace, from, to, amount }: Transfer): Promise<boolean> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('BEGIN');
    await client.query(LOCK);
    const { rows } = await client.query(TRANSFER, [namespace, from, to, String(amount)]);
    await client.query('COMMIT');
    failed = false;
    return rows.length === 2;
  } finally {
    // A connection with an open transaction is closed, not reused.
    client.release(failed);
  }
}
