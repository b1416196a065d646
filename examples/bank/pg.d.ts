// The parts of the package pg that this example uses. `npm install @types/pg` has all of them.
declare module 'pg' {
  interface Queries {
    query(sql: string, params?: readonly string[]): Promise<{ rows: Record<string, unknown>[] }>;
  }
  interface PoolClient extends Queries {
    on(event: 'notification', listener: () => void): void;
    release(destroy?: boolean): void;
  }
  class Pool implements Queries {
    constructor(options: { connectionString: string });
    query(sql: string, params?: readonly string[]): Promise<{ rows: Record<string, unknown>[] }>;
    connect(): Promise<PoolClient>;
    end(): Promise<void>;
  }
}
