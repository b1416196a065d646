/**
 * Makes the paths and queries of requests.
 * Invariant: a name is exactly one segment of its path, as in client-go.
 */
import { StatusError } from '../apimachinery/status/status.ts';
import { badRequest } from '../apimachinery/status/status-catalogue.ts';
import { checkPathSegmentName } from '../apimachinery/validation/name-syntax.ts';
import type { PageOptions, SelectOptions, WatchOptions } from './api.ts';

/** The parts of a resource's path. Kind tokens have them. */
export interface ResourcePath {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** Returns the path of a version: `/api/v1`, `/apis/apps/v1`. */
export function versionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Returns the path of a collection. `namespace` is undefined for cluster-scoped resources and for all namespaces. */
export function collectionPath({ group, version, plural }: ResourcePath, namespace: string | undefined): string {
  const scope = namespace === undefined ? '' : `/namespaces/${pathSegment(namespace, 'namespace')}`;
  return `${versionPath(group, version)}${scope}/${plural}`;
}

/**
 * Encodes a name as a segment of a path. Throws a BadRequest if the name is empty or would address another path. `what`
 * is used in the message.
 */
export function pathSegment(name: string, what: string): string {
  if (name === '') throw new StatusError(badRequest(`the ${what} may not be empty`));
  const complaints = checkPathSegmentName(name);
  if (complaints.length > 0)
    throw new StatusError(badRequest(`the ${what} ${JSON.stringify(name)} ${complaints.join(' and ')}`));
  return encodeURIComponent(name);
}

/** Query parameters by name. Undefined, '' and false are left out; a list repeats its name. */
export type QueryValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Formats a query: `?a=b&c=d`; '' without parameters. */
export function formatQuery(values: QueryValues): string {
  let query = '';
  for (const name in values) {
    const value = values[name];
    if (value === undefined || value === '' || value === false) continue;
    for (const item of typeof value === 'object' ? value : [value])
      query += `${query === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(item)}`;
  }
  return query;
}

/** The path and query of one page of a list. */
export function listTarget(path: string, options: PageOptions): string {
  const { resourceVersion, resourceVersionMatch, limit, continueToken } = options;
  return `${path}${formatQuery({
    ...selectors(options),
    resourceVersion,
    resourceVersionMatch,
    limit: limit === 0 ? undefined : limit,
    continue: continueToken,
  })}`;
}

/** The path and query of a watch. */
export function watchTarget(path: string, options: WatchOptions): string {
  const { resourceVersion, allowBookmarks = true, sendInitialEvents, timeoutSeconds } = options;
  return `${path}${formatQuery({
    watch: true,
    ...selectors(options),
    resourceVersion,
    allowWatchBookmarks: allowBookmarks,
    sendInitialEvents,
    // The server refuses sendInitialEvents with any other resourceVersionMatch.
    resourceVersionMatch: sendInitialEvents === true ? 'NotOlderThan' : undefined,
    timeoutSeconds,
  })}`;
}

export function selectors({ labelSelector, fieldSelector }: SelectOptions): QueryValues {
  return { labelSelector, fieldSelector };
}
