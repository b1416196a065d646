/** Requests of suites: JSON in, JSON out. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json-value.ts';
import type { Client } from '../diff/client.ts';
import type { Step } from '../diff/request.ts';

const NONE: ReadonlyMap<string, string> = new Map();
const MERGE_PATCH = 'application/merge-patch+json';

export interface JsonAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Sends a request, as the admin unless the step names a user or a token. Rejects if the server does not answer. */
export async function send(client: Client, step: Step): Promise<JsonAnswer> {
  const { status, text } = await client.send(step, NONE);
  try {
    const body = JSON.parse(text) as JsonValue;
    return { status, body: isJsonObject(body) ? body : {} };
  } catch {
    return { status, body: { message: text } };
  }
}

/** Sends a request that must succeed. Throws its Status otherwise. */
export async function must(client: Client, step: Step): Promise<JsonObject> {
  const { status, body } = await send(client, step);
  if (status >= 200 && status < 300) return body;
  throw new Error(`${client.peer.name}: ${step.method} ${step.path}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
}

/** Sends a request and returns its body. Throws unless the server answers with the status. */
export async function expectStatus(client: Client, step: Step, expected: number): Promise<JsonObject> {
  const { status, body } = await send(client, step);
  if (status === expected) return body;
  throw new Error(
    `${client.peer.name}: ${step.method} ${step.path} as ${step.user ?? 'admin'}: ${status} instead of ${expected}: ${String(body['message'])}`,
  );
}

/** How often a request is repeated, and the time between two. */
const TRIES = 600;
const BETWEEN_MS = 50;

/**
 * Repeats a read until its answer is the wanted one, because a server learns of another's writes through watches that
 * clients do not see. Throws the last answer after 30 seconds.
 */
export async function repeat(
  client: Client,
  step: Step,
  isWanted: (answer: JsonAnswer) => boolean,
): Promise<JsonAnswer> {
  for (let tries = 0; ; tries++) {
    const answer = await send(client, step);
    if (isWanted(answer)) return answer;
    if (tries === TRIES)
      throw new Error(
        `${client.peer.name}: ${step.method} ${step.path}: still ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`,
      );
    await sleep(BETWEEN_MS);
  }
}

export function mergePatch(path: string, body: JsonObject): Step {
  return { method: 'PATCH', path, type: MERGE_PATCH, body };
}

export function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) ? metadata : {};
}

export function versionOf(object: JsonObject): string {
  return String(metadataOf(object)['resourceVersion']);
}

export function nameOf(object: JsonObject): string {
  return String(metadataOf(object)['name']);
}

/** Returns the resourceVersion of a collection, from which a watch may start. */
export async function collectionVersion(client: Client, collection: string): Promise<string> {
  return versionOf(await must(client, { method: 'GET', path: withQuery(collection, 'limit=1') }));
}

/** Adds parameters to a path, which may have some. */
export function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
