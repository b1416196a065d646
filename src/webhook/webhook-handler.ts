/**
 * The HTTP handler of a webhook server: one path per hook, and the health paths. Invariant: every answer to a POST is a
 * review or a Status, both JSON, because the API server shows the message of a Status to its client.
 */

import { firstParam, parseQuery } from '../apimachinery/meta/query.ts';
import { parseDuration } from '../apimachinery/scalars/duration.ts';
import { type Status, StatusError, statusOf } from '../apimachinery/status/status.ts';
import {
  badRequest,
  internalError,
  requestEntityTooLarge,
  unsupportedMediaType,
} from '../apimachinery/status/status-catalogue.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import type { Clock } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { readJson } from '../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import type { Logger } from '../base/logger.ts';
import type { Answer, Handler, Incoming } from '../server/http/exchange.ts';
import { answerAdmission } from './admission-review.ts';
import { answerConversion } from './conversion-review.ts';
import { hooksByPath } from './hook-path.ts';
import type { AdmissionHook, ConversionHook } from './hooks.ts';
import type { Webhooks } from './webhook-server.ts';

const MIB = 1 << 20;
const ADMISSION_BYTES = 7 * MIB;
const CONVERSION_BYTES = 64 * MIB;
const HEALTH_PATHS: readonly string[] = ['/healthz', '/livez', '/readyz'];
const JSON_TYPE = 'application/json';

export interface WebhookHandlerOptions {
  readonly maxBodyBytes?: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Makes the handler. Throws ConfigError for hooks with invalid or equal names. The handler never throws. */
export function webhookHandler(webhooks: Webhooks, options: WebhookHandlerOptions): Handler {
  const hooks = hooksByPath(webhooks);
  return (incoming) => {
    const [path = '', query = ''] = incoming.target.split('?', 2);
    if (HEALTH_PATHS.includes(path)) return textAnswer(200, 'ok');
    const hook = hooks.get(path);
    if (hook === undefined) return textAnswer(404, `404 page not found: there is no webhook at ${path}`);
    if (incoming.method !== 'POST') return textAnswer(405, 'webhooks accept POST only', { allow: 'POST' });
    return answerReview(hook, incoming, { ...options, query });
  };
}

async function answerReview(
  hook: AdmissionHook | ConversionHook,
  incoming: Incoming,
  options: WebhookHandlerOptions & { readonly query: string },
): Promise<Answer> {
  const deadline = new ReviewSignal(incoming, options.query, options.clock);
  try {
    const review = await readReview(hook, incoming, options.maxBodyBytes);
    const answer =
      hook.type === 'convert'
        ? await answerConversion(hook, review)
        : await answerAdmission(hook, review, () => deadline.signal());
    return jsonAnswer(200, answer);
  } catch (caught) {
    const status = statusOf(caught);
    if (status !== undefined) return statusAnswer(status);
    const error = toError(caught);
    options.logger.error('a webhook failed', error, { path: incoming.target });
    return statusAnswer(internalError(error.message));
  } finally {
    deadline.end();
  }
}

/** Throws StatusError for a body that is not a JSON object. */
async function readReview(
  hook: AdmissionHook | ConversionHook,
  incoming: Incoming,
  maxBodyBytes: number | undefined,
): Promise<JsonObject> {
  const mediaType = (incoming.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== JSON_TYPE) throw new StatusError(unsupportedMediaType([JSON_TYPE]));
  const limit = maxBodyBytes ?? (hook.type === 'convert' ? CONVERSION_BYTES : ADMISSION_BYTES);
  const body = await incoming.body(limit);
  if (body.outcome === 'too-large') throw new StatusError(requestEntityTooLarge(`limit is ${limit}`));
  if (body.outcome === 'aborted') throw new StatusError(badRequest('the body ended early'));
  if (body.bytes.length === 0) throw new StatusError(badRequest('the body is empty'));
  const read = readJson(body.bytes);
  if (!read.ok) throw new StatusError(badRequest(`the body is not JSON: ${read.error.message}`));
  if (!isJsonObject(read.value)) throw new StatusError(badRequest('the body is not a JSON object'));
  return read.value;
}

/** The signal of one review, made when a hook first reads it. */
class ReviewSignal {
  readonly #incoming: Incoming;
  readonly #timeoutMs: number | undefined;
  readonly #clock: Clock;
  readonly #started: number;
  #controller: AbortController | undefined;
  #stopTimer: () => void = () => {};

  constructor(incoming: Incoming, query: string, clock: Clock) {
    this.#incoming = incoming;
    this.#clock = clock;
    this.#started = clock.monotonic();
    this.#timeoutMs = timeoutOf(query);
  }

  signal(): AbortSignalLike {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const abort = (why: string): void => controller.abort(new DOMException(why, 'AbortError'));
      this.#incoming.onClose(() => abort('the API server closed the connection'));
      if (this.#timeoutMs !== undefined) {
        const left = Math.max(0, this.#started + this.#timeoutMs - this.#clock.monotonic());
        const timer = this.#clock.setTimer(left, () => abort('the timeout of the webhook has passed'));
        this.#stopTimer = () => timer.cancel();
      }
    }
    return this.#controller.signal;
  }

  end(): void {
    this.#stopTimer();
  }
}

/** Returns the timeout that the API server sends as `?timeout=10s`; undefined if there is none. */
function timeoutOf(query: string): number | undefined {
  const text = firstParam(parseQuery(query), 'timeout');
  const parsed = text === undefined ? undefined : parseDuration(text);
  return parsed?.ok === true ? Number(parsed.value / 1_000_000n) : undefined;
}

function jsonAnswer(status: number, body: JsonValue): Answer {
  return { kind: 'bytes', status, headers: { 'content-type': JSON_TYPE }, body: writeJsonBytes(body) };
}

function statusAnswer(status: Status): Answer {
  return jsonAnswer(status.code ?? 500, status as unknown as JsonValue);
}

function textAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return { kind: 'bytes', status, headers: { ...type, ...headers }, body: encodeUtf8(`${text}\n`) };
}
