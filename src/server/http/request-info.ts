/**
 * RequestInfo: the verb, group, version, resource and name of a request, parsed from its method and target as the
 * reference's RequestInfoFactory does. Authorization, flow control, metrics and dispatch use these fields and never
 * parse the target again.
 *
 * Every request is parsed here, so there is no URL object, no regular expression, and no decoding unless the target
 * contains a `%`.
 */

import { decodeListOptions } from '../../apimachinery/meta/list-options.ts';
import { NO_PARAMS, parseQuery, type QueryParams } from '../../apimachinery/meta/query.ts';
import { requiredFieldValue } from '../../apimachinery/selectors/field-selector.ts';
import { checkPathSegmentName } from '../../apimachinery/validation/name-syntax.ts';
import { decodeUtf8 } from '../../base/bytes.ts';

export interface RequestInfo {
  /**
   * False for discovery, health, metrics and every other path that is not an object or a collection. Most fields below
   * `verb` are then empty.
   */
  readonly isResourceRequest: boolean;
  /** Decoded, without the query. Malformed UTF-8 becomes U+FFFD. */
  readonly path: string;
  /**
   * For resources `get`, `list`, `watch`, ..., or empty for an HTTP method that resources do not have. Otherwise the
   * method in lower case.
   */
  readonly verb: string;
  /** `api` or `apis`. */
  readonly apiPrefix: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** Also set for a request to the Namespace object itself. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /**
   * From the path, or from `fieldSelector=metadata.name=` of a list or watch. Empty if the request does not name an
   * object.
   */
  readonly name: string;
  /**
   * Path segments from the resource on: resource, name, subresource, and the rest of the path, which only the
   * subresource interprets.
   */
  readonly parts: readonly string[];
  /** The first value of the parameter, decoded but not parsed. Set for list, watch and deletecollection only. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
  /** The decoded query. */
  readonly params: QueryParams;
}

export type RequestInfoResult = { readonly ok: true; readonly info: RequestInfo } | RequestInfoProblem;

/**
 * `malformed-target`: the target has no URL path. `incomplete`: a verb without a resource after it, as `/api/v1/watch`.
 */
export type RequestInfoProblem =
  | { readonly ok: false; readonly problem: 'malformed-target' }
  | { readonly ok: false; readonly problem: 'incomplete'; readonly message: string };

const NO_PARTS: readonly string[] = [];
const MALFORMED: RequestInfoProblem = { ok: false, problem: 'malformed-target' };

const SLASH = 0x2f;

/** Parses a request. `target` is path and query as sent on the request line, not decoded: `/api/v1/pods?limit=500`. */
export function parseRequestInfo(method: string, target: string): RequestInfoResult {
  const origin = target.charCodeAt(0) === SLASH ? target : originForm(target);
  if (origin === undefined) return MALFORMED;
  const mark = origin.indexOf('?');
  const params = mark < 0 ? NO_PARAMS : parseQuery(origin.slice(mark + 1));
  const path = decodePath(mark < 0 ? origin : origin.slice(0, mark));
  if (path === undefined) return MALFORMED;
  return readPath(method, target, path, params);
}

function readPath(method: string, target: string, path: string, params: QueryParams): RequestInfoResult {
  const segments = splitPath(path);
  const prefix = segments[0];
  if (segments.length < 3 || (prefix !== 'api' && prefix !== 'apis')) return nonResource(method, path, '', params);
  if (prefix === 'apis' && segments.length < 4) return nonResource(method, path, prefix, params);
  let at = prefix === 'api' ? 1 : 2;
  const apiGroup = at === 1 ? '' : (segments[1] as string);
  const apiVersion = segments[at++] as string;

  let verb = segments[at] as string;
  const verbInPath = verb === 'watch' || verb === 'proxy';
  if (!verbInPath) verb = verbOfMethod(method);
  else if (++at === segments.length)
    return {
      ok: false,
      problem: 'incomplete',
      message: `unable to determine kind and namespace from url, ${target}`,
    };

  let namespace = '';
  if (segments[at] === 'namespaces' && at + 1 < segments.length) {
    namespace = segments[at + 1] as string;
    const next = segments[at + 2];
    if (next !== undefined && next !== 'status' && next !== 'finalize') at += 2;
  }

  const parts = segments.slice(at);
  let name = parts[1] ?? '';
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '');
  if (name === '') {
    if (verb === 'get') {
      verb = isWatch(params) ? 'watch' : 'list';
      name = selectedName(params);
    } else if (verb === 'delete') verb = 'deletecollection';
  }
  const selective =
    params.size > 0 && !verbInPath && (verb === 'list' || verb === 'watch' || verb === 'deletecollection');
  return {
    ok: true,
    info: {
      isResourceRequest: true,
      path,
      verb,
      apiPrefix: prefix,
      apiGroup,
      apiVersion,
      namespace,
      resource: parts[0] as string,
      subresource,
      name,
      parts,
      fieldSelector: selective ? (params.get('fieldSelector')?.[0] ?? '') : '',
      labelSelector: selective ? (params.get('labelSelector')?.[0] ?? '') : '',
      params,
    },
  };
}

function nonResource(method: string, path: string, apiPrefix: string, params: QueryParams): RequestInfoResult {
  return {
    ok: true,
    info: {
      isResourceRequest: false,
      path,
      verb: lowerMethod(method),
      apiPrefix,
      apiGroup: '',
      apiVersion: '',
      namespace: '',
      resource: '',
      subresource: '',
      name: '',
      parts: NO_PARTS,
      fieldSelector: '',
      labelSelector: '',
      params,
    },
  };
}

function verbOfMethod(method: string): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
    default:
      return '';
  }
}

function lowerMethod(method: string): string {
  return method === 'GET' ? 'get' : method.toLowerCase();
}

function isWatch(params: QueryParams): boolean {
  const value = params.get('watch')?.[0];
  if (value === undefined) return false;
  if (value === '0' || value.toLowerCase() === 'false') return false;
  // The decoder of list options folds case by Unicode rules, so it may take other strings of this length for `false`.
  // If it cannot decode the options, the value counts as true.
  const decoded = value.length === 5 ? decodeListOptions(params) : undefined;
  return decoded?.ok === true ? decoded.value.watch : true;
}

/**
 * Returns the name that the field selector requires. Returns '' for options that cannot be decoded and for a name that
 * a path could not contain.
 */
function selectedName(params: QueryParams): string {
  const text = params.get('fieldSelector')?.[0];
  if (text === undefined || !text.includes('metadata.name')) return '';
  const decoded = decodeListOptions(params);
  const name = decoded.ok ? requiredFieldValue(decoded.value.fieldSelector, 'metadata.name') : undefined;
  return name !== undefined && checkPathSegmentName(name).length === 0 ? name : '';
}

/** Splits a path at its slashes. Leading and trailing slashes are ignored; empty segments in the middle are kept. */
function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === SLASH) start++;
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--;
  const segments: string[] = [];
  if (start === end) return segments;
  for (;;) {
    const next = path.indexOf('/', start);
    if (next < 0 || next >= end) break;
    segments.push(path.slice(start, next));
    start = next + 1;
  }
  segments.push(path.slice(start, end));
  return segments;
}

/**
 * Returns path and query of a target in absolute form, which HTTP/1.1 servers must accept (RFC 9112, 3.2.2), or `*`
 * unchanged. Undefined for anything else.
 */
function originForm(target: string): string | undefined {
  if (target === '*') return target;
  const scheme = target.startsWith('http://') ? 7 : target.startsWith('https://') ? 8 : 0;
  if (scheme === 0) return undefined;
  const slash = target.indexOf('/', scheme);
  const mark = target.indexOf('?', scheme);
  if (slash >= 0 && (mark < 0 || slash < mark)) return target.slice(slash);
  return mark < 0 ? '' : target.slice(mark);
}

/**
 * Decodes a path once. `+` is kept, and `%2F` becomes a slash like any other, as in the reference. Returns undefined
 * for a malformed escape.
 */
function decodePath(raw: string): string | undefined {
  let percent = raw.indexOf('%');
  if (percent < 0) return raw;
  let text = '';
  let from = 0;
  while (percent >= 0) {
    text += raw.slice(from, percent);
    const bytes: number[] = [];
    for (from = percent; raw.charCodeAt(from) === 0x25; from += 3) {
      const high = hexDigit(raw.charCodeAt(from + 1));
      const low = hexDigit(raw.charCodeAt(from + 2));
      if (high < 0 || low < 0) return undefined;
      bytes.push(high * 16 + low);
    }
    text += decodeUtf8(Uint8Array.from(bytes));
    percent = raw.indexOf('%', from);
  }
  return text + raw.slice(from);
}

/** Returns -1 for other codes, and for NaN at the end of the text. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
