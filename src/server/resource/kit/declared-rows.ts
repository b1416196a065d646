/** The rows of a declared resource: the checks of the option, and the storage over them. */
import { ConfigError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { Storage } from '../../../storage/storage.ts';
import { objectCodec, type RowsPlace } from '../../rows/row-codec.ts';
import { isWritable, type ReadOnlyRows } from '../../rows/rows.ts';
import { createRowsStorage } from '../../rows/rows-storage.ts';
import type { RegistryHost } from '../registry-host.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { ResourceOptions } from './resource-options.ts';

const LEAST_POLL_INTERVAL_MS = 10;
const WRITES = ['insert', 'replace', 'remove'] as const;

export interface DeclaredRows {
  readonly readOnly: boolean;
  /** Opens the storage over the rows. Called once, when the resource is opened. */
  open(place: RowsPlace, host: RegistryHost): Storage;
}

/** Returns undefined without the option `rows`. Throws ConfigError for rows that cannot be used. */
export function checkedRows({ kind, rows, store }: ResourceOptions<JsonObject>): DeclaredRows | undefined {
  if (rows === undefined) return undefined;
  const refuse = (problem: string): never => {
    throw new ConfigError(`the rows of ${kind} cannot be used: ${problem}`);
  };
  if (store !== undefined) refuse('the resource has a store, too');
  const absent = WRITES.filter((method) => typeof Reflect.get(rows, method) !== 'function');
  if (absent.length > 0 && absent.length < WRITES.length) refuse(`they have no ${absent.join(' and no ')}`);
  if (rows.sequenced === true && rows.changes === undefined) refuse('they are sequenced and have no changes');
  const { pollIntervalMs = LEAST_POLL_INTERVAL_MS } = rows;
  if (!(pollIntervalMs >= LEAST_POLL_INTERVAL_MS))
    refuse(`pollIntervalMs is ${pollIntervalMs}, it must be at least ${LEAST_POLL_INTERVAL_MS}`);
  return {
    readOnly: !isWritable(rows),
    open: (place, host) =>
      createRowsStorage({
        // Objects of rows are plain JSON, whatever type their author gives them.
        rows: rows as unknown as ReadOnlyRows<JsonObject>,
        codec: objectCodec(place, host.scope),
        clock: host.clock,
        onTrouble: (error) => host.onTrouble(error),
      }),
  };
}

/** Returns the store with its read verbs alone, for rows that cannot be written. */
export function readsOf(store: ResourceStore): ResourceStore {
  const { get, list, watch } = store;
  return {
    ...(get && { get: (context, options) => get.call(store, context, options) }),
    ...(list && { list: (context, options) => list.call(store, context, options) }),
    ...(watch && { watch: (context, request, sink) => watch.call(store, context, request, sink) }),
  };
}
