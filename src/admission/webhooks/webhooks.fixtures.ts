/** Webhook configurations, and a client that answers reviews, for tests of the webhook plugins. */
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { TransportError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { SILENT } from '../../base/logger.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { OutboundAnswer, OutboundCall } from '../../server/http/outbound.ts';
import type { Lister, ListerChange } from '../../server/own/lister.ts';
import type { WebhookPluginOptions } from './webhook-plugin.ts';

/** The response of a review by the path of the webhook's URL; a failure is thrown. */
export type Responses = Readonly<Record<string, (request: JsonObject) => JsonObject | Error>>;

export interface ReceivedReview {
  readonly path: string;
  readonly url: string;
  readonly request: JsonObject;
}

export interface TestWebhooks {
  readonly options: WebhookPluginOptions;
  readonly received: ReceivedReview[];
  /** The calls of the reviews in `received`. */
  readonly calls: OutboundCall[];
  readonly clock: VirtualClock;
  /** Replaces the configurations. */
  configure(...configurations: readonly JsonObject[]): void;
}

export function testWebhooks(responses: Responses): TestWebhooks {
  const received: ReceivedReview[] = [];
  const calls: OutboundCall[] = [];
  const clock = new VirtualClock();
  const lister = changingLister();
  let uids = 0;
  const post = async (call: OutboundCall): Promise<OutboundAnswer> => {
    const { pathname } = new URL(call.url);
    const review = JSON.parse(decodeUtf8(call.body)) as { apiVersion: string; request: JsonObject };
    received.push({ path: pathname, url: call.url, request: review.request });
    calls.push(call);
    const answered = responses[pathname]?.(review.request) ?? new TransportError('no such webhook');
    if (answered instanceof Error) throw answered;
    const response = { uid: review.request['uid'] ?? '', ...answered };
    const answer = { kind: 'AdmissionReview', apiVersion: review.apiVersion, response };
    return { status: 200, body: encodeUtf8(writeJson(answer)) };
  };
  return {
    options: {
      client: { post },
      services: { resolve: () => ({ host: '127.0.0.1', port: 8443 }) },
      clock,
      newUid: () => `uid-${++uids}`,
      configurations: lister,
      authorizer: { authorize: () => ({ decision: 'allow', reason: '', error: '' }) },
      logger: SILENT,
    },
    received,
    calls,
    clock,
    configure: (...configurations) => lister.set(configurations),
  };
}

export function changingLister(): Lister & { set(objects: readonly JsonObject[]): void } {
  let current: readonly JsonObject[] = [];
  const listeners = new Set<(changes: readonly ListerChange[]) => void>();
  return {
    fresh: () => undefined,
    get: () => undefined,
    list: () => current,
    subscribe: (listener) => {
      listeners.add(listener);
      return { stop: () => void listeners.delete(listener) };
    },
    set: (objects) => {
      current = objects;
      for (const listener of listeners) listener([]);
    },
  };
}

/** A configuration with one webhook per path, for every request. `more` is added to each webhook. */
export function configuration(name: string, paths: readonly string[], more: JsonObject = {}): JsonObject {
  return {
    metadata: { name },
    webhooks: paths.map((path) => ({
      name: `${path.slice(1)}.example.com`,
      clientConfig: { url: `https://hooks.example.com${path}` },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      timeoutSeconds: 10,
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' }],
      ...more,
    })),
  };
}

/** The response that applies a JSON patch. */
export function patching(...operations: readonly JsonObject[]): JsonObject {
  return { allowed: true, patchType: 'JSONPatch', patch: btoa(JSON.stringify(operations)) };
}
