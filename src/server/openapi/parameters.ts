/** The parameters of operations: query parameters, grouped by the options that they belong to, and path parameters. */
import type { TypeView } from '../../apimachinery/type-view.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly type: 'string' | 'boolean' | 'integer';
  readonly description: string;
}

function query(name: string, type: Parameter['type'], description: string): Parameter {
  return { name, in: 'query', type, description };
}

const CONTINUE = query(
  'continue',
  'string',
  'The value of metadata.continue in the previous page. The answer is the page after it. A token expires after a few minutes; the answer is then 410.',
);
const DRY_RUN = query(
  'dryRun',
  'string',
  'If All, the request is validated and admitted, and nothing is stored. All is the only value.',
);
const FIELD_MANAGER = query(
  'fieldManager',
  'string',
  'The name under which metadata.managedFields records the change. At most 128 printable characters. Default: the first part of the User-Agent header.',
);
const FIELD_SELECTOR = query(
  'fieldSelector',
  'string',
  'Restricts the list of returned objects to those whose fields match, such as metadata.name=a. Default: all.',
);
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'The handling of unknown and duplicate fields of the body: Ignore drops them, Warn (the default) drops them with a warning for each, Strict refuses the request.',
);
const LABEL_SELECTOR = query(
  'labelSelector',
  'string',
  'Restricts the list of returned objects to those whose labels match, such as app=web,tier!=cache. Default: all.',
);
const LIMIT = query(
  'limit',
  'integer',
  'The maximum number of objects in the answer. If there are more, metadata.continue is the token of the next page. Default: no limit.',
);
export const RESOURCE_VERSION: Parameter = query(
  'resourceVersion',
  'string',
  'The version of the data that the answer is based on: empty for the newest, 0 for any, otherwise at least this version unless resourceVersionMatch says otherwise. A watch begins after it.',
);
const RESOURCE_VERSION_MATCH = query(
  'resourceVersionMatch',
  'string',
  'How a list uses resourceVersion: Exact for the data at that version, NotOlderThan for that version or a newer one.',
);
const SEND_INITIAL_EVENTS = query(
  'sendInitialEvents',
  'boolean',
  'If true, a watch begins with an event for each existing object. A bookmark with the annotation k8s.io/initial-events-end follows them.',
);
const SHARD_SELECTOR = query(
  'shardSelector',
  'string',
  'Meant for clients that share a list, each with a range of hashes of a field. This server ignores it.',
);
const TIMEOUT_SECONDS = query(
  'timeoutSeconds',
  'integer',
  'The time in seconds after which a watch ends. Default: a random time, at least that of the flag --min-request-timeout.',
);
const WATCH = query(
  'watch',
  'boolean',
  'Watch for changes to the described resources: if true, the answer is a stream of events instead of a list.',
);
const ALLOW_WATCH_BOOKMARKS = query(
  'allowWatchBookmarks',
  'boolean',
  'If true, a watch may also send bookmark events, which have a resourceVersion and no other data.',
);

export const PRETTY: Parameter = query(
  'pretty',
  'string',
  'If true, JSON is indented. Default: true for browsers, curl and wget, otherwise false.',
);

/** The parameters of every read of a collection, sorted by name. */
const LIST_STATE: readonly Parameter[] = [
  CONTINUE,
  FIELD_SELECTOR,
  LABEL_SELECTOR,
  LIMIT,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL_EVENTS,
  SHARD_SELECTOR,
  TIMEOUT_SECONDS,
];

export const LIST_OPTIONS: readonly Parameter[] = [ALLOW_WATCH_BOOKMARKS, ...LIST_STATE, WATCH];

export const WRITE_OPTIONS: readonly Parameter[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];

export const PATCH_OPTIONS: readonly Parameter[] = [
  ...WRITE_OPTIONS,
  query(
    'force',
    'boolean',
    'If true, an apply patch takes over fields that other managers own. Otherwise such a conflict is a 409. Only for apply patches.',
  ),
];

export const DELETE_OPTIONS: readonly Parameter[] = [
  DRY_RUN,
  query(
    'gracePeriodSeconds',
    'integer',
    'The time in seconds until the object is removed. 0 removes it at once. Default: that of the kind.',
  ),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Meant for objects that cannot be read from storage. This server ignores it.',
  ),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy. If true, dependents are not deleted.'),
  query(
    'propagationPolicy',
    'string',
    'The handling of dependents, which the object owns: Orphan keeps them, Background deletes them after the object, Foreground deletes them before it.',
  ),
];

export const DELETE_COLLECTION_OPTIONS: readonly Parameter[] = [...DELETE_OPTIONS, ...LIST_STATE];

export const NAME: Parameter = { name: 'name', in: 'path', type: 'string', description: 'The name of the object.' };

export const NAMESPACE: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  description: 'The namespace of the object.',
};

export const REST_OF_PATH: Parameter = {
  name: 'path',
  in: 'path',
  type: 'string',
  description: 'The rest of the path, which is sent to the target of the proxy.',
};

const fromFields = new Map<string, Parameter>();

/**
 * Returns a field of an options type as a query parameter; always the same object for the same field. Undefined for
 * types that a query cannot contain.
 */
export function queryParameter(name: string, type: TypeView): Parameter | undefined {
  const value = type.kind === 'list' ? type.items : type;
  if (value.kind !== 'scalar' || value.scalar === 'time') return undefined;
  const shown = value.scalar === 'boolean' ? 'boolean' : value.scalar.startsWith('int') ? 'integer' : 'string';
  const key = `${name} ${shown}`;
  let parameter = fromFields.get(key);
  if (parameter === undefined) {
    parameter = query(name, shown, '');
    fromFields.set(key, parameter);
  }
  return parameter;
}
