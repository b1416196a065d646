/**
 * The path mux: handlers of the paths that are not resources, by exact path or by prefix. `/` lists these paths.
 *
 * Invariants: an exact path wins over every prefix, and a longer prefix over a shorter one. `/` lists only paths that
 * are served. Handlers get every HTTP method unless they check it themselves, as in the reference.
 */
import { StatusError } from '../../apimachinery/status/status.ts';
import { genericServerResponse } from '../../apimachinery/status/status-catalogue.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';
import { writeJsonBytes } from '../../base/json-write.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import { METRICS_CONTENT_TYPE } from '../../base/metrics/metrics-text.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { acceptsOneOf } from '../discovery/restful-accept.ts';
import type { Health } from '../health.ts';
import { type VersionInfo, versionAnswer } from '../version-info.ts';
import type { Answer } from './exchange.ts';
import { contentHeaders } from './respond.ts';
import type { RequestHandler, ServerRequest } from './server-request.ts';

/** The answer for a path that no server has: plain text, not a Status. */
export const NOT_FOUND: Answer = {
  kind: 'bytes',
  status: 404,
  headers: { ...contentHeaders('text/plain; charset=utf-8'), 'x-content-type-options': 'nosniff' },
  body: encodeUtf8('404 page not found\n'),
};

export interface PathOptions {
  /** Whether `/` lists the path. Default true. */
  readonly listed?: boolean;
}

export class PathMux {
  readonly #exact = new Map<string, RequestHandler>();
  /** The longest prefix first. */
  #prefixes: readonly (readonly [prefix: string, handler: RequestHandler])[] = [];
  readonly #listed = new Set<string>();
  readonly #listers: { readonly prefix: string; readonly paths: () => Iterable<string> }[] = [];

  constructor() {
    const index: RequestHandler = () => this.#index();
    this.handle('/', index, { listed: false });
    this.handle('/index.html', index, { listed: false });
  }

  /** Serves one path. Throws BugError if the path has a handler. */
  handle(path: string, handler: RequestHandler, options: PathOptions = {}): void {
    if (this.#exact.has(path)) throw new BugError(`the path ${path} has a handler already`);
    this.#exact.set(path, handler);
    if (options.listed !== false) this.#listed.add(path);
  }

  /**
   * Serves everything below a path. `prefix` ends with a slash and is itself served too. Throws BugError if it has a
   * handler.
   */
  handlePrefix(prefix: string, handler: RequestHandler, options: PathOptions = {}): void {
    if (!prefix.endsWith('/')) throw new BugError(`the prefix ${prefix} does not end with a slash`);
    if (this.#prefixes.some(([known]) => known === prefix))
      throw new BugError(`the prefix ${prefix} has a handler already`);
    this.#prefixes = [...this.#prefixes, [prefix, handler] as const].sort(([a], [b]) => b.length - a.length);
    if (options.listed !== false) this.#listed.add(prefix);
  }

  /**
   * Lists more paths at `/` that are served outside of this mux. `paths` is called for each request. All of them must
   * begin with `prefix`; default `/`.
   */
  list(paths: () => Iterable<string>, prefix = '/'): void {
    this.#listers.push({ prefix, paths });
  }

  /** Reports whether `/` lists this path. */
  lists(path: string): boolean {
    if (this.#listed.has(path)) return true;
    for (const { prefix, paths } of this.#listers)
      if (path.startsWith(prefix)) for (const listed of paths()) if (listed === path) return true;
    return false;
  }

  /** Returns all listed paths, sorted. */
  paths(): readonly string[] {
    const all = new Set(this.#listed);
    for (const { paths } of this.#listers) for (const path of paths()) all.add(path);
    return [...all].sort(compareUtf8);
  }

  /** Returns undefined if no handler of the mux serves the path. */
  serve(request: ServerRequest): MaybePromise<Answer> | undefined {
    const { path } = request.info;
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact(request);
    for (const [prefix, handler] of this.#prefixes) if (path.startsWith(prefix)) return handler(request);
    return undefined;
  }

  #index(): Answer {
    const body = writeJsonBytes({ paths: [...this.paths()] }, { indent: 2 });
    return { kind: 'bytes', status: 200, headers: contentHeaders('application/json'), body };
  }
}

/** Serves `/healthz`, `/livez`, `/readyz`, and each check below them. */
export function mountHealth(mux: PathMux, health: Health): void {
  const answer: RequestHandler = ({ info }) => health.answer(info.path, info.params) ?? NOT_FOUND;
  for (const endpoint of ['/healthz', '/livez', '/readyz']) {
    mux.handle(endpoint, answer);
    mux.handlePrefix(`${endpoint}/`, answer, { listed: false });
  }
  mux.list(() => health.paths());
}

/**
 * Serves a registry at `path`, by default `/metrics`. `startedAt` is the start of the process in milliseconds since
 * 1970; scrapers use it to detect that counters were reset.
 */
export function mountMetrics(
  mux: PathMux,
  registry: MetricRegistry,
  options: { readonly path?: string; readonly startedAt?: number | undefined } = {},
): void {
  const { path = '/metrics', startedAt } = options;
  const headers: Readonly<Record<string, string>> = {
    'cache-control': 'no-cache, private',
    'content-type': METRICS_CONTENT_TYPE,
    ...(startedAt === undefined ? {} : { 'process-start-time-unix': `${Math.floor(startedAt / 1000)}` }),
  };
  mux.handle(path, () => ({ kind: 'bytes', status: 200, headers, body: encodeUtf8(registry.print()) }));
}

/** Serves `/version`: only GET, and only as JSON. */
export function mountVersion(mux: PathMux, info: VersionInfo): void {
  const answer = versionAnswer(info);
  const serve: RequestHandler = ({ incoming }) => {
    if (incoming.method !== 'GET') throw new StatusError(genericServerResponse({ code: 405, verb: '' }));
    if (acceptsOneOf(incoming.header('accept'), ['application/json'])) return answer;
    const serverMessage = '406: Not Acceptable\n\nAvailable representations: application/json';
    throw new StatusError(genericServerResponse({ code: 406, verb: '', serverMessage }));
  };
  mux.handle('/version', serve);
  mux.handlePrefix(
    '/version/',
    (request) => {
      if (/^\/version\/+$/.test(request.info.path)) return serve(request);
      throw new StatusError(genericServerResponse({ code: 404, verb: '' }));
    },
    { listed: false },
  );
}
