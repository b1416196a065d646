import { expect } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import type { Delivery, Input, ListEffect } from './list-watch-state.ts';
import { resourceVersionOf, type WatchEvent } from './watch-event.ts';
import { statusFailure } from './watch-failure.ts';

export interface Change {
  readonly revision: number;
  readonly key: string;
  readonly deleted: boolean;
}

export function objectOf(change: Change): JsonObject {
  return { metadata: { name: change.key, resourceVersion: String(change.revision) } };
}

export function keyOf(object: JsonObject): string {
  return String((object['metadata'] as JsonObject)['name']);
}

export const EXPIRED: JsonObject = { code: 410, reason: 'Expired' };
export const TOO_LARGE: JsonObject = {
  reason: 'Timeout',
  details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
};

/** All changes ever, and the horizon below which the server pretends to have forgotten them. */
export class SimulatedServer {
  readonly changes: Change[] = [];
  revision = 10;
  horizon = 10;

  write(key: string): void {
    this.changes.push({ revision: ++this.revision, key, deleted: false });
  }

  delete(key: string): void {
    if (!this.stateAt(this.revision).has(key)) return;
    this.changes.push({ revision: ++this.revision, key, deleted: true });
  }

  stateAt(revision: number): Map<string, Change> {
    const state = new Map<string, Change>();
    for (const change of this.changes) {
      if (change.revision > revision) break;
      if (change.deleted) state.delete(change.key);
      else state.set(change.key, change);
    }
    return new Map([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  nextAfter(revision: number): Change | undefined {
    return this.changes.find((change) => change.revision > revision);
  }

  typeOf(change: Change): 'ADDED' | 'MODIFIED' | 'DELETED' {
    if (change.deleted) return 'DELETED';
    return this.stateAt(change.revision - 1).has(change.key) ? 'MODIFIED' : 'ADDED';
  }

  /** `chance` picks among the states the request allows; `strict` servers refuse a named revision that is compacted. */
  list(request: ListEffect, chance: number, strict: boolean): Partial<Input> {
    let revision = this.revision;
    let after = '';
    if (request.continueToken !== '') {
      const [at, last] = request.continueToken.split('/') as [string, string];
      revision = Number(at);
      after = last;
      if (revision < this.horizon) return { type: 'list-failed', failure: statusFailure(EXPIRED) };
    } else if (request.resourceVersion !== '') {
      const least = Number(request.resourceVersion);
      if (least > this.revision) return { type: 'list-failed', failure: statusFailure(TOO_LARGE) };
      if (strict && least !== 0 && least < this.horizon) {
        return { type: 'list-failed', failure: statusFailure(EXPIRED) };
      }
      const from = Math.max(least, this.horizon);
      revision = from + (chance % (this.revision - from + 1));
    }
    const rest = [...this.stateAt(revision).values()].filter((change) => change.key > after);
    const items = request.limit > 0 ? rest.slice(0, request.limit) : rest;
    const more = items.length < rest.length;
    return {
      type: 'page',
      items: items.map(objectOf),
      resourceVersion: String(revision),
      continueToken: more ? `${revision}/${items.at(-1)?.key}` : '',
    };
  }
}

/** The events that an open watch still has to send. */
export interface OpenWatch {
  readonly turn: number;
  readonly pending: WatchEvent[];
  cursor: number;
  /** True while the bookmark that ends the initial events is due. */
  initial: boolean;
}

/** The consumer: a store replaced at init-done, and the checks on every delivery. */
export class Consumer {
  readonly #server: SimulatedServer;
  store: Map<string, number> = new Map();
  #buffer: Map<string, number> | undefined;
  /** Up to here the store is what the server had. */
  cursor = -1;
  deliveries = 0;

  constructor(server: SimulatedServer) {
    this.#server = server;
  }

  receive(delivery: Delivery): void {
    this.deliveries++;
    switch (delivery.type) {
      case 'init':
        this.#buffer = new Map();
        return;
      case 'init-apply':
        this.#buffer?.set(keyOf(delivery.object), Number(resourceVersionOf(delivery.object)));
        return;
      case 'init-delete':
        this.#buffer?.delete(keyOf(delivery.object));
        return;
      case 'init-done': {
        const revision = Number(delivery.resourceVersion);
        expect(revision).toBeGreaterThanOrEqual(this.cursor);
        expect(this.#buffer).toBeDefined();
        this.store = this.#buffer ?? new Map();
        this.#buffer = undefined;
        this.cursor = revision;
        this.expectEqualTo(revision);
        return;
      }
      case 'init-changes':
      case 'changes':
        for (const { type, object } of delivery.events) {
          const change = type === 'DELETED' ? 'delete' : 'apply';
          this.receive({ type: delivery.type === 'changes' ? change : `init-${change}`, object });
        }
        return;
      case 'apply':
      case 'delete': {
        expect(this.#buffer).toBeUndefined();
        // Exactly the next change: nothing missed, nothing twice, in order.
        const next = this.#server.nextAfter(this.cursor);
        expect({
          key: keyOf(delivery.object),
          revision: resourceVersionOf(delivery.object),
          type: delivery.type,
        }).toEqual({
          key: next?.key,
          revision: String(next?.revision),
          type: next?.deleted ? 'delete' : 'apply',
        });
        this.cursor = next?.revision ?? this.cursor;
        if (delivery.type === 'delete') this.store.delete(keyOf(delivery.object));
        else this.store.set(keyOf(delivery.object), this.cursor);
        return;
      }
      case 'bookmark': {
        const revision = Number(delivery.resourceVersion);
        expect(this.#server.nextAfter(this.cursor)?.revision ?? Number.POSITIVE_INFINITY).toBeGreaterThan(revision);
        this.cursor = Math.max(this.cursor, revision);
        return;
      }
    }
  }

  expectEqualTo(revision: number): void {
    const expected = [...this.#server.stateAt(revision)].map(([key, change]) => [key, change.revision]);
    expect([...this.store].sort()).toEqual(expected.sort());
  }
}
