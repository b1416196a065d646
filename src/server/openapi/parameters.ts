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

const CONTINUE = query('continue', 'string', 'The token of the page before, to read the next one.');
const DRY_RUN = query('dryRun', 'string', 'With All, everything is checked and nothing is stored.');
const FIELD_MANAGER = query('fieldManager', 'string', 'Who makes the change, for metadata.managedFields.');
const FIELD_SELECTOR = query('fieldSelector', 'string', 'Only objects whose fields match.');
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'What happens to unknown and repeated fields: Ignore, Warn (default) or Strict.',
);
const LABEL_SELECTOR = query('labelSelector', 'string', 'Only objects whose labels match.');
const LIMIT = query('limit', 'integer', 'The most objects of one page.');
export const RESOURCE_VERSION: Parameter = query(
  'resourceVersion',
  'string',
  'The state of the store that the answer is to show or to start from.',
);
const RESOURCE_VERSION_MATCH = query(
  'resourceVersionMatch',
  'string',
  'How resourceVersion is meant: Exact or NotOlderThan.',
);
const SEND_INITIAL_EVENTS = query(
  'sendInitialEvents',
  'boolean',
  'A watch begins with the objects that exist, then a bookmark.',
);
const SHARD_SELECTOR = query('shardSelector', 'string', 'Reserved for lists that several clients share; ignored.');
const TIMEOUT_SECONDS = query('timeoutSeconds', 'integer', 'When the answer, or the watch, ends at the latest.');
const WATCH = query('watch', 'boolean', 'Changes as they happen instead of a list.');
const ALLOW_WATCH_BOOKMARKS = query('allowWatchBookmarks', 'boolean', 'A watch may send bookmarks.');

export const PRETTY: Parameter = query('pretty', 'string', 'Indented JSON; the default for browsers, curl and wget.');

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
  query('force', 'boolean', 'An apply takes over fields that others own.'),
];

export const DELETE_OPTIONS: readonly Parameter[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'How long the object is given to end; 0 is at once.'),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Deletes even what can no longer be read from the store. Dangerous.',
  ),
  query('orphanDependents', 'boolean', 'Deprecated in favour of propagationPolicy.'),
  query('propagationPolicy', 'string', 'What happens to dependents: Orphan, Background or Foreground.'),
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
  description: 'What follows the subresource in the path.',
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
