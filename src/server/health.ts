/**
 * The endpoints `/healthz`, `/livez` and `/readyz`: named checks, run together or one by one, with the reference's
 * texts.
 *
 * Invariants: the answer of a whole endpoint never contains the reason of a failure, because any client may read it.
 * Every check ends within its timeout. After `startShutdown`, readyz fails and the other two endpoints are unchanged.
 */
import { quote } from '../apimachinery/go-format.ts';
import { firstParam, type QueryParams } from '../apimachinery/meta/query.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import type { Clock } from '../base/clock.ts';
import { BugError, toError } from '../base/errors.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { compareUtf8 } from '../base/utf8.ts';
import type { Answer, AnswerHeaders } from './http/exchange.ts';

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

export interface HealthCheck {
  /** Also the path under the endpoint: `poststarthook/bootstrap` is `/readyz/poststarthook/bootstrap`. */
  readonly name: string;
  /** `?exclude=<group>` excludes all checks of the group. */
  readonly group?: string;
  /**
   * Called for each request to an endpoint that has the check. Returns the reason of a failure, or undefined. A check
   * that throws, rejects or exceeds the timeout fails.
   */
  check(): MaybePromise<string | undefined>;
  /** The timeout of this check. Default: that of the endpoints. */
  readonly timeoutMs?: number;
}

export interface HealthOptions {
  readonly clock: Clock;
  /** A check that has not ended by then fails. Default 2,000, as the reference's check of etcd. */
  readonly timeoutMs?: number;
  /** How long a boot check counts as passed on livez after it was added. Default 0, as `--livez-grace-period`. */
  readonly livezGracePeriodMs?: number;
  /**
   * Called for every check that ran as part of an endpoint. `reason` is for the log, never for the client; undefined if
   * the check passed.
   */
  onResult?(endpoint: HealthEndpoint, name: string, reason: string | undefined): void;
  /** Called once, when readyz passes for the first time. */
  onFirstReady?(): void;
}

const NO_CACHE = { 'cache-control': 'no-cache, private', 'content-type': 'text/plain; charset=utf-8' };
const TEXT: AnswerHeaders = { ...NO_CACHE, 'x-content-type-options': 'nosniff' };
/** The headers for a single check. The reference sets no content type there, and Go detects this one. */
const SNIFFED: AnswerHeaders = NO_CACHE;
const NO_SUCH_CHECK = text(404, '404 page not found\n');

export const PING: HealthCheck = { name: 'ping', check: () => undefined };

/**
 * The three endpoints with their checks. Checks may be added while requests are served. They run and print in the order
 * in which they were added.
 */
export class Health {
  readonly #options: HealthOptions;
  readonly #checks: Readonly<Record<HealthEndpoint, Map<string, HealthCheck>>> = {
    healthz: new Map(),
    livez: new Map(),
    readyz: new Map(),
  };
  #shuttingDown = false;
  #wasReady = false;
  readonly #shutdown: HealthCheck = {
    name: 'shutdown',
    check: () => (this.#shuttingDown ? 'process is shutting down' : undefined),
  };

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Adds a check to all three endpoints. */
  add(check: HealthCheck): void {
    for (const endpoint of ['healthz', 'livez', 'readyz'] as const) this.addTo(endpoint, check);
  }

  /** Adds a check of something that is made while the server starts. On livez it passes during the grace period. */
  addBootCheck(check: HealthCheck): void {
    this.addTo('healthz', check);
    this.addTo('livez', this.#delayed(check));
    this.addTo('readyz', check);
  }

  /**
   * Adds a check to one endpoint. Throws BugError if the endpoint has a check of that name; readyz always has
   * `shutdown`.
   */
  addTo(endpoint: HealthEndpoint, check: HealthCheck): void {
    const checks = this.#checks[endpoint];
    if (checks.has(check.name) || (endpoint === 'readyz' && check.name === this.#shutdown.name))
      throw new BugError(`${endpoint} already has a check ${quote(check.name)}`);
    checks.set(check.name, check);
  }

  /** Makes readyz fail for good. */
  startShutdown(): void {
    this.#shuttingDown = true;
  }

  /**
   * Answers a request by its decoded path and its query. Returns undefined for a path below none of the three
   * endpoints.
   */
  answer(path: string, params: QueryParams): MaybePromise<Answer> | undefined {
    const slash = path.indexOf('/', 1);
    const endpoint = endpointOf(slash < 0 ? path : path.slice(0, slash));
    if (endpoint === undefined) return undefined;
    if (slash < 0) return this.#all(endpoint, params);
    const check = this.#installed(endpoint).find(({ name }) => name === path.slice(slash + 1));
    return check === undefined ? NO_SUCH_CHECK : this.#one(check);
  }

  /** Returns the path of every check, once for each endpoint that has it. */
  paths(): readonly string[] {
    return (['healthz', 'livez', 'readyz'] as const).flatMap((endpoint) =>
      this.#installed(endpoint).map(({ name }) => `/${endpoint}/${name}`),
    );
  }

  #one(check: HealthCheck): MaybePromise<Answer> {
    const reason = this.#run(check);
    return isPromise(reason) ? reason.then(singleAnswer) : singleAnswer(reason);
  }

  #all(endpoint: HealthEndpoint, params: QueryParams): MaybePromise<Answer> {
    const exclude = new Excluded(params);
    const checks = this.#installed(endpoint);
    const results = checks.map((check) => exclude.line(check) ?? this.#run(check));
    const finish = (settled: readonly Result[]): Answer => this.#report(endpoint, checks, settled, exclude, params);
    return results.some(isPromise) ? Promise.all(results).then(finish) : finish(results as Result[]);
  }

  #report(
    endpoint: HealthEndpoint,
    checks: readonly HealthCheck[],
    results: readonly Result[],
    exclude: Excluded,
    params: QueryParams,
  ): Answer {
    let output = '';
    let failed = false;
    for (const [i, { name }] of checks.entries()) {
      const result = results[i];
      if (typeof result === 'object') {
        output += result.line;
        continue;
      }
      output += result === undefined ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`;
      if (result !== undefined) failed = true;
      this.#options.onResult?.(endpoint, name, result);
    }
    output += exclude.warning();
    if (failed) return text(500, `${output}${endpoint} check failed\n`);
    if (endpoint === 'readyz' && !this.#wasReady) {
      this.#wasReady = true;
      this.#options.onFirstReady?.();
    }
    return text(200, firstParam(params, 'verbose') === undefined ? 'ok' : `${output}${endpoint} check passed\n`);
  }

  /** Returns the checks of an endpoint: `ping` if it has none. readyz always ends with `shutdown`. */
  #installed(endpoint: HealthEndpoint): readonly HealthCheck[] {
    const checks = [...this.#checks[endpoint].values()];
    if (endpoint === 'readyz') checks.push(this.#shutdown);
    return checks.length === 0 ? [PING] : checks;
  }

  /** Runs one check. Neither throws nor rejects. */
  #run(check: HealthCheck): MaybePromise<string | undefined> {
    try {
      const reason = check.check();
      return isPromise(reason) ? this.#withTimeout(reason, check.timeoutMs) : reason;
    } catch (caught) {
      return toError(caught).message;
    }
  }

  #withTimeout(running: Promise<string | undefined>, own: number | undefined): Promise<string | undefined> {
    const { clock } = this.#options;
    const timeoutMs = own ?? this.#options.timeoutMs ?? 2000;
    return new Promise((resolve) => {
      const timer = clock.setTimer(timeoutMs, () => resolve(`no result within ${timeoutMs} ms`), { background: true });
      const settle = (reason: string | undefined): void => {
        timer.cancel();
        resolve(reason);
      };
      running.then(settle, (caught) => settle(toError(caught).message));
    });
  }

  #delayed(check: HealthCheck): HealthCheck {
    const { clock, livezGracePeriodMs = 0 } = this.#options;
    if (livezGracePeriodMs === 0) return check;
    const start = clock.monotonic() + livezGracePeriodMs;
    return { ...check, check: () => (clock.monotonic() > start ? check.check() : undefined) };
  }
}

/** The reason of a failure, undefined for a check that passed, or the line of an excluded check. */
type Result = string | undefined | { readonly line: string };

/** The `exclude` parameters of one request. Also tracks which of them match no check. */
class Excluded {
  readonly #names: ReadonlySet<string>;
  readonly #unknown: Set<string>;

  constructor(params: QueryParams) {
    this.#names = new Set(params.get('exclude'));
    this.#unknown = new Set(this.#names);
  }

  /** Returns the line of an excluded check; undefined if the check must run. */
  line({ name, group }: HealthCheck): { readonly line: string } | undefined {
    if (this.#names.has(name)) {
      this.#unknown.delete(name);
      return { line: `[+]${name} excluded: ok\n` };
    }
    if (group === undefined || !this.#names.has(group)) return undefined;
    this.#unknown.delete(group);
    return { line: `[+]${name} excluded with ${group}: ok\n` };
  }

  warning(): string {
    if (this.#unknown.size === 0) return '';
    const names = [...this.#unknown].sort(compareUtf8).map(quote).join(',');
    return `warn: some health checks cannot be excluded: no matches for ${names}\n`;
  }
}

function endpointOf(path: string): HealthEndpoint | undefined {
  return path === '/readyz' ? 'readyz' : path === '/livez' ? 'livez' : path === '/healthz' ? 'healthz' : undefined;
}

function singleAnswer(reason: string | undefined): Answer {
  if (reason !== undefined) return text(500, `internal server error: ${reason}\n`);
  return { kind: 'bytes', status: 200, headers: SNIFFED, body: encodeUtf8('ok') };
}

function text(status: number, body: string): Answer {
  return { kind: 'bytes', status, headers: TEXT, body: encodeUtf8(body) };
}
