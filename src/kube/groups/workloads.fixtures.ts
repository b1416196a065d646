/** A server and shorthand requests for tests of kinds with pod templates. */
import { cloneJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { TestKube } from '../kube-server.fixtures.ts';

export const SELECTOR: JsonObject = { matchLabels: { a: 'b' } };
const CONTAINERS = [{ name: 'c', image: 'i' }];
/** A pod template with the default restart policy. */
export const TEMPLATE: JsonObject = { metadata: { labels: { a: 'b' } }, spec: { containers: CONTAINERS } };
/** A pod template for Jobs. */
export const JOB_TEMPLATE: JsonObject = {
  metadata: { labels: { a: 'b' } },
  spec: { restartPolicy: 'Never', containers: CONTAINERS },
};

export interface Created {
  readonly body: JsonObject;
  readonly path: string;
  readonly name: string;
  readonly status: number;
  readonly warnings: readonly string[];
}

let count = 0;

/** Creates an object with a copy of `spec`. Default name: a new one for every call. */
export async function createObject(
  kube: TestKube,
  collection: string,
  spec: JsonObject,
  metadata: JsonObject = {},
): Promise<Created> {
  const name = (metadata['name'] as string | undefined) ?? `o${count++}`;
  const body = cloneJson({ metadata: { name, ...metadata }, spec });
  const answer = await kube.request('POST', collection, body);
  return { ...answer, path: `${collection}/${name}`, name };
}

/** The value at a path; undefined if there is none. */
export function at(object: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path) value = (value as JsonObject | undefined)?.[name];
  return value;
}
