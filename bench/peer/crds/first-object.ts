/**
 * The time from the creation of a definition until its kind is served, and until its first object is accepted, for a
 * client that retries at once. kube-apiserver delays creates by two seconds on purpose, so its second figure says
 * little about its speed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Side } from '../side.ts';
import { DEFINITIONS } from './apply.ts';
import { Client } from './client.ts';
import { customKind, smallDefinition, smallObject } from './definitions.ts';

const LONGEST_MS = 20_000;
/** Lets the work for one definition end before the next. */
const PAUSE_MS = 150;

/** `served`: a list of the kind is answered. `accepted`: an object of the kind is stored. */
export type FirstOf = 'served' | 'accepted';

/** Returns milliseconds. */
export async function firstOf(what: FirstOf, side: Side, index: number): Promise<number> {
  const kind = customKind(what, index);
  const [definition, object] = [JSON.stringify(smallDefinition(kind)), JSON.stringify(smallObject(kind))];
  const [method, body] = what === 'served' ? ['GET', undefined] : ['POST', object];
  const client = new Client(side);
  try {
    // Opens the connection before the time begins.
    await client.ask('GET', '/version');
    const begin = performance.now();
    await client.ask('POST', DEFINITIONS, definition);
    for (;;) {
      const { status, text } = await client.send(method, kind.collection, body);
      const passed = performance.now() - begin;
      if (status === 200 || status === 201) {
        await sleep(PAUSE_MS);
        return passed;
      }
      if (passed > LONGEST_MS) throw new Error(`${side.name}: ${status} ${text.slice(0, 300)}`);
    }
  } finally {
    client.close();
  }
}
