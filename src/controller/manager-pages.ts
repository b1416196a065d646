/**
 * The pages of a manager: `/healthz`, `/readyz`, `/metrics` and `/debug/reconciles`. The handler is a function from a
 * request to a response; `servePages` of `keelson/node` serves it over HTTP.
 */
import { parseQuery } from '../apimachinery/meta/query.ts';
import { toError } from '../base/errors.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { METRICS_CONTENT_TYPE } from '../base/metrics/metrics-text.ts';
import { stringify } from '../client/draft.ts';
import type { ReconcileJournal } from './reconcile-journal.ts';

export interface PageRequest {
  readonly method: string;
  /** Path and query: `/readyz?verbose`. */
  readonly target: string;
}

export interface PageResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Serves one request. Never throws or rejects. */
export type PageHandler = (request: PageRequest) => Promise<PageResponse>;

/**
 * Returns the reason of a failure; undefined if the check passes. If it throws or rejects, the check fails with the
 * error's message.
 */
export type HealthCheck = () => string | undefined | Promise<string | undefined>;

export interface ManagerPagesOptions {
  readonly health: ReadonlyMap<string, HealthCheck>;
  readonly ready: ReadonlyMap<string, HealthCheck>;
  readonly registry: MetricRegistry;
  readonly journal: ReconcileJournal;
}

const TEXT = 'text/plain; charset=utf-8';

export function createManagerPages({ health, ready, registry, journal }: ManagerPagesOptions): PageHandler {
  return async ({ method, target }) => {
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, contentType: TEXT, body: 'only GET is served\n' };
    const at = target.indexOf('?');
    const path = at < 0 ? target : target.slice(0, at);
    const query = parseQuery(at < 0 ? '' : target.slice(at + 1));
    switch (path) {
      case '/healthz':
      case '/livez':
        return runChecks(path.slice(1), health, query.has('verbose'));
      case '/readyz':
        return runChecks('readyz', ready, query.has('verbose'));
      case '/metrics':
        return { status: 200, contentType: METRICS_CONTENT_TYPE, body: registry.print() };
      case '/debug/reconciles': {
        const keys = journal.read({ operator: query.get('operator')?.[0], key: query.get('key')?.[0] });
        const body = stringify({
          keys: keys.map((key) => ({
            ...key,
            last: key.last.map((record) => ({ ...record, at: new Date(record.at).toISOString() })),
          })),
        });
        return { status: 200, contentType: 'application/json', body: `${body}\n` };
      }
      default:
        return {
          status: 404,
          contentType: TEXT,
          body: 'there are /healthz, /readyz, /metrics and /debug/reconciles\n',
        };
    }
  };
}

/**
 * Runs the checks in the order in which they were added. The page shows the reasons of failed checks, because it is for
 * operators.
 */
async function runChecks(
  page: string,
  checks: ReadonlyMap<string, HealthCheck>,
  verbose: boolean,
): Promise<PageResponse> {
  let failures = 0;
  const lines: string[] = [];
  for (const [name, check] of checks) {
    const reason = await runCheck(check);
    if (reason !== undefined) failures++;
    lines.push(reason === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${reason}\n`);
  }
  if (failures > 0) return { status: 500, contentType: TEXT, body: `${lines.join('')}${page} check failed\n` };
  return { status: 200, contentType: TEXT, body: verbose ? `${lines.join('')}${page} check passed\n` : 'ok' };
}

async function runCheck(check: HealthCheck): Promise<string | undefined> {
  try {
    return await check();
  } catch (caught) {
    return toError(caught).message;
  }
}
