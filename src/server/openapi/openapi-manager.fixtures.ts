import { decodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { bytesOf, requestOf } from '../http/requests.fixtures.ts';
import { GROUP, resourceOf, types, versionOf } from './openapi.fixtures.ts';
import { OpenApiManager } from './openapi-manager.ts';
import type { OpenApiVersion } from './openapi-publisher.ts';

export const V3: string = `/openapi/v3/apis/${GROUP}/v1`;
export const things: OpenApiVersion = versionOf([resourceOf({})], { ownsGroup: true });

export function manager(...versions: readonly ReturnType<typeof versionOf>[]): OpenApiManager {
  const made = new OpenApiManager({ clock: new VirtualClock(Date.UTC(2026, 1, 28, 12)), types });
  for (const version of versions) made.publish(version);
  return made;
}

export function ask(
  from: OpenApiManager,
  target: string,
  headers: Record<string, string> = {},
  method = 'GET',
): ReturnType<typeof bytesOf> {
  return bytesOf(from.handle(requestOf(target, headers, method)));
}

export function json(from: OpenApiManager, target: string): JsonObject {
  return JSON.parse(decodeUtf8(ask(from, target).body));
}

export function index(from: OpenApiManager): Record<string, string> {
  const { paths } = json(from, '/openapi/v3') as { paths: Record<string, { serverRelativeURL: string }> };
  return Object.fromEntries(Object.entries(paths).map(([name, { serverRelativeURL }]) => [name, serverRelativeURL]));
}

/** Schemas that no view gives. */
export function given(schemas: Readonly<Record<string, JsonObject>>): NonNullable<OpenApiVersion['schema']> {
  return (name) => {
    const schema = schemas[name];
    return schema === undefined ? undefined : { v3: () => schema, refers: [] };
  };
}
