/**
 * Request metrics with the reference's names. They count requests that reached an endpoint, and those that flow control
 * refused.
 *
 * Invariants: names that a client makes up never become labels, because `isServed` is called before a label set is
 * first used. A request costs one lookup, not one per label.
 */
import type { QueryParams } from '../../apimachinery/meta/query.ts';
import { statusOf } from '../../apimachinery/status/status.ts';
import type { Clock } from '../../base/clock.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import type { Counter, Gauge, Histogram } from '../../base/metrics/metric-registry.ts';
import { type Answer, statusOfAnswer } from '../http/exchange.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { RequestFilter, ServerRequest } from '../http/server-request.ts';
import { type MetricScope, metricScope, metricVerb, type ServerMetrics } from '../metrics/server-metrics.ts';
import { trackAnswer } from './tracked-answer.ts';

export interface RequestMetricsOptions {
  readonly metrics: ServerMetrics;
  readonly clock: Clock;
  /**
   * Reports whether the server has the path, its resource and its subresource. Called once per label set. Other
   * requests are not counted.
   */
  readonly isServed: (info: RequestInfo) => boolean;
  /** Subresources whose verb is CONNECT, such as `exec`. */
  readonly connectSubresources: readonly string[];
}

const COMPONENT = 'apiserver';
const APPLY_TYPES: ReadonlySet<string> = new Set(['application/apply-patch+yaml', 'application/apply-patch+cbor']);

/** The metrics of one label set. */
interface Handles {
  readonly verb: string;
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly subresource: string;
  readonly scope: MetricScope;
  readonly duration: Histogram;
  readonly size: Histogram | undefined;
  readonly byCode: Map<number, Counter>;
  open: Gauge | undefined;
}

export class RequestMetrics {
  readonly #options: RequestMetricsOptions;
  readonly #connects: ReadonlySet<string>;
  readonly #byResource = new Map<string, Handles[]>();

  constructor(options: RequestMetricsOptions) {
    this.#options = options;
    this.#connects = new Set(options.connectSubresources);
  }

  /** Called when an answer is complete. `size` is that of its body, 0 if it is not known. */
  answered(request: ServerRequest, code: number, size: number): void {
    const handles = this.#handles(request);
    if (handles === undefined) return;
    this.#count(handles, request.info, code);
    handles.duration.observe((this.#options.clock.monotonic() - request.startedAt) / 1000);
    handles.size?.observe(size);
  }

  /** Called when the server ends a request to protect itself: 429 before it was served, 504 after its deadline. */
  refused(request: ServerRequest, code: number): void {
    const handles = this.#handles(request);
    if (handles === undefined) return;
    const { verb, group, version, subresource, scope } = handles;
    const { requestTerminations } = this.#options.metrics;
    const { resource } = request.info;
    requestTerminations.labels(verb, group, version, resource, subresource, scope, COMPONENT, String(code)).add();
    if (code === 429) this.#count(handles, request.info, code);
  }

  /** Called when a long-running request opens (1) or ends (-1). */
  longRunning(request: ServerRequest, by: 1 | -1): void {
    const handles = this.#handles(request);
    if (handles === undefined) return;
    const { verb, group, version, subresource, scope } = handles;
    handles.open ??= this.#options.metrics.longRunningRequests.labels(
      verb,
      group,
      version,
      request.info.resource,
      subresource,
      scope,
      COMPONENT,
    );
    handles.open.add(by);
  }

  #count(handles: Handles, info: RequestInfo, code: number): void {
    let counter = handles.byCode.get(code);
    if (counter === undefined) {
      const { verb, dryRun, group, version, subresource, scope } = handles;
      counter = this.#options.metrics.requestTotal.labels(
        verb,
        dryRun,
        group,
        version,
        info.resource,
        subresource,
        scope,
        COMPONENT,
        String(code),
      );
      handles.byCode.set(code, counter);
    }
    counter.add();
  }

  #handles(request: ServerRequest): Handles | undefined {
    const { info } = request;
    const verb = this.#verb(request);
    const dryRun = info.params.size === 0 ? '' : dryRunLabel(info.params);
    // For a non-resource request the subresource label is the path, as in the reference.
    const subresource = info.isResourceRequest ? info.subresource : info.path;
    const scope = metricScope(info);
    const known = this.#byResource.get(info.resource);
    if (known !== undefined) {
      for (const handles of known) {
        if (
          handles.verb === verb &&
          handles.scope === scope &&
          handles.subresource === subresource &&
          handles.group === info.apiGroup &&
          handles.version === info.apiVersion &&
          handles.dryRun === dryRun
        )
          return handles;
      }
    }
    return this.#options.isServed(info) ? this.#add(info, verb, dryRun, subresource, scope) : undefined;
  }

  #add(info: RequestInfo, verb: string, dryRun: string, subresource: string, scope: MetricScope): Handles {
    const { metrics } = this.#options;
    const { apiGroup: group, apiVersion: version, resource } = info;
    const reads = verb === 'GET' || verb === 'LIST';
    const handles: Handles = {
      verb,
      dryRun,
      group,
      version,
      subresource,
      scope,
      duration: metrics.requestDuration.labels(verb, dryRun, group, version, resource, subresource, scope, COMPONENT),
      size: reads
        ? metrics.responseSizes.labels(verb, group, version, resource, subresource, scope, COMPONENT)
        : undefined,
      byCode: new Map(),
      open: undefined,
    };
    const known = this.#byResource.get(resource);
    if (known === undefined) this.#byResource.set(resource, [handles]);
    else known.push(handles);
    return handles;
  }

  #verb({ incoming, info }: ServerRequest): string {
    if (info.subresource !== '' && this.#connects.has(info.subresource))
      return metricVerb(incoming.method, info, 'CONNECT');
    const applies = incoming.method === 'PATCH' && APPLY_TYPES.has(incoming.header('content-type') ?? '');
    return metricVerb(incoming.method, info, applies ? 'APPLY' : undefined);
  }
}

function dryRunLabel(params: QueryParams): string {
  const values = params.get('dryRun');
  if (values === undefined) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}

/** The innermost filter: counts each request when its endpoint has answered, or when its stream has ended. */
export function withRequestMetrics(metrics: RequestMetrics): RequestFilter {
  const failed = (request: ServerRequest, caught: unknown): void => {
    // An error without a Status is a fault of the server. It is not counted, as in the reference.
    const status = statusOf(caught);
    if (status !== undefined) metrics.answered(request, status.code ?? 500, 0);
  };
  const answered = (request: ServerRequest, answer: Answer): Answer => {
    switch (answer.kind) {
      case 'bytes':
        metrics.answered(request, answer.status, answer.body.length);
        return answer;
      case 'chunks':
        metrics.answered(request, answer.status, answer.chunks.size ?? 0);
        return answer;
      case 'stream':
      case 'websocket':
      case 'tunnel': {
        const code = statusOfAnswer(answer);
        return trackAnswer(answer, { begin: () => undefined, end: () => metrics.answered(request, code, 0) });
      }
    }
  };
  return (next) => (request) => {
    let answer: ReturnType<typeof next>;
    try {
      answer = next(request);
    } catch (caught) {
      failed(request, caught);
      throw caught;
    }
    if (!isPromise(answer)) return answered(request, answer);
    return answer.then(
      (ready) => answered(request, ready),
      (caught) => {
        failed(request, caught);
        throw caught;
      },
    );
  };
}
