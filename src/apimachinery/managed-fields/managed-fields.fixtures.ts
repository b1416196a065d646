/** A kind with two versions whose type is deduced from its objects, for tests of managed fields. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { DEDUCED, freeMap, ListType, MapType, type MergeField, MergeType } from '../apply/merge-type.ts';
import type { FieldSet } from '../field-set/field-set.ts';
import { fieldSetOf } from '../field-set/field-set.ts';
import { excludeFilter } from '../field-set/set-filter.ts';
import type { Status } from '../status/status.ts';
import { FieldManager, type FieldManagerOptions } from './field-manager.ts';
import { managedFieldsOf } from './object-managed-fields.ts';

const string = new MergeType({ scalar: 'string' });
const struct = (fields: Readonly<Record<string, MergeType>>): MergeType =>
  new MergeType({
    map: new MapType(false, () => ({
      fields: new Map(
        Object.entries(fields).map(([name, type]): [string, MergeField] => [name, { type, defaultValue: undefined }]),
      ),
      values: undefined,
    })),
  });

const metadata = struct({
  name: string,
  namespace: string,
  uid: string,
  resourceVersion: string,
  labels: new MergeType({ map: freeMap(() => string) }),
  annotations: new MergeType({ map: freeMap(() => string) }),
  managedFields: new MergeType({ list: new ListType({ relation: 'atomic', items: () => DEDUCED }) }),
});

const item = struct({ name: string, value: string });
const specOf = (text: string): MergeType =>
  struct({
    [text]: string,
    other: string,
    replicas: new MergeType({ scalar: 'numeric' }),
    items: new MergeType({ list: new ListType({ relation: 'map', keys: ['name'], items: () => item }) }),
  });

const TYPES: ReadonlyMap<string, MergeType> = new Map(
  [
    ['example.com/v1', 'text'],
    ['example.com/v2', 'renamed'],
  ].map(([apiVersion, text]) => [
    apiVersion as string,
    struct({ apiVersion: string, kind: string, metadata, spec: specOf(text as string), status: DEDUCED }),
  ]),
);

export interface FixtureOptions extends Partial<FieldManagerOptions> {
  readonly version?: string;
  /** How a conversion answers. Default: at once. */
  readonly deliver?: (object: JsonObject) => JsonObject | Promise<JsonObject>;
}

export function createFieldManager({
  version = 'v1',
  deliver = (object) => object,
  ...options
}: FixtureOptions = {}): FieldManager {
  return new FieldManager({
    kind: { group: 'example.com', version, kind: 'Thing' },
    versions: {
      typeAt: (apiVersion) => TYPES.get(apiVersion),
      convert: (object, apiVersion) => deliver(converted(object, apiVersion)),
    },
    resetFields: new Map([...TYPES.keys()].map((apiVersion) => [apiVersion, excludeFilter(RESET)])),
    newObject: () => ({ apiVersion: `example.com/${version}`, kind: 'Thing' }),
    ...options,
  });
}

const RESET: FieldSet = fieldSetOf(['status']);

function converted(object: JsonObject, apiVersion: string): JsonObject {
  const { spec } = object;
  if (!isJsonObject(spec)) return { ...object, apiVersion };
  const { text, renamed, ...rest } = spec;
  const value = text ?? renamed;
  const name = apiVersion.endsWith('v1') ? 'text' : 'renamed';
  return { ...object, apiVersion, spec: value === undefined ? rest : { ...rest, [name]: value } };
}

export function thing(
  parts: { readonly metadata?: JsonObject; readonly spec?: JsonObject; readonly status?: JsonValue },
  version = 'v1',
): JsonObject {
  const { metadata: more, ...rest } = parts;
  return {
    apiVersion: `example.com/${version}`,
    kind: 'Thing',
    metadata: { name: 'a', ...more },
    ...rest,
  } as JsonObject;
}

/** An object and the writers of it. Each write happens one second after the one before. */
export class Writer {
  live: JsonObject | undefined;
  #seconds = 0;

  get now(): string {
    return `2026-01-01T00:00:${String(this.#seconds).padStart(2, '0')}Z`;
  }

  /** The entries, with FieldsV1 as text. */
  get entries(): JsonValue[] {
    return ((managedFieldsOf(this.live as JsonObject) ?? []) as JsonObject[]).map((entry) => ({
      ...entry,
      fieldsV1: JSON.stringify(entry['fieldsV1']),
    }));
  }

  apply(
    manager: string,
    config: JsonObject,
    options: { readonly force?: boolean; readonly fields?: FieldManager } = {},
  ): Status | undefined {
    this.#seconds++;
    const { force = false, fields = createFieldManager() } = options;
    const outcome = fields.apply(this.live, config, { manager, force, now: this.now });
    if (outcome instanceof Promise) throw outcome;
    if (!outcome.ok) return outcome.status;
    this.#store(outcome.object);
    return undefined;
  }

  update(manager: string, next: JsonObject, fields: FieldManager = createFieldManager()): string | undefined {
    this.#seconds++;
    const failure = fields.update(this.live, next, { manager, now: this.now });
    if (failure instanceof Promise) throw failure;
    this.#store(next);
    return failure;
  }

  #store(object: JsonObject): void {
    this.live = { ...object, metadata: { ...(object['metadata'] as JsonObject), uid: 'u' } };
  }
}
