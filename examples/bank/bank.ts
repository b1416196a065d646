// The bank: accounts in a table, and the transfer between two of them. sqlite.ts and postgresql.ts implement it.
import type { Table, TableOptions } from 'keelson/extension';

export interface Transfer {
  readonly namespace: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
}

export interface Bank {
  readonly accounts: Table;
  /** Moves money. Returns false, and changes nothing, if the balance is too low or an account does not exist. */
  transfer(transfer: Transfer): Promise<boolean>;
  stop(): Promise<void>;
}

/** SQL users see the owner and the balance as columns. */
export const COLUMNS: TableOptions['columns'] = {
  owner: 'spec.owner',
  balance: { path: 'status.balance', type: 'integer' },
};
