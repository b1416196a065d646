/**
 * The audit filter: writes one line per stage of each request that the policy logs.
 *
 * Invariants: it runs before impersonation, so a refused impersonation is logged with the authenticated user. A line
 * that cannot be written is logged and counted; the request does not fail. Without a policy there is no filter.
 */
import { statusOf } from '../../../apimachinery/status/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { toError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { Logger } from '../../../base/logger.ts';
import { isPromise } from '../../../base/maybe-promise.ts';
import { type Answer, statusOfAnswer } from '../../http/exchange.ts';
import type { RequestInfo } from '../../http/request-info.ts';
import { statusAnswer } from '../../http/respond.ts';
import type { RequestFilter, ServerRequest } from '../../http/server-request.ts';
import type { ServerMetrics } from '../../metrics/server-metrics.ts';
import { attributesOf } from '../authorization.ts';
import { trackAnswer } from '../tracked-answer.ts';
import { AuditEvent, statusFromBytes } from './audit-event.ts';
import { type AuditDecision, compileAuditPolicy } from './audit-policy-match.ts';
import type { AuditPolicy, AuditStage } from './audit-rules.ts';

/** The destination of the lines. */
export interface AuditSink {
  /**
   * Takes one line with its newline. The bytes belong to the sink. If it throws, the line is lost and the failure is
   * logged.
   */
  write(line: Uint8Array): void;
}

export interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly sink: AuditSink;
  /**
   * Reports requests whose bodies are never logged, whatever the policy says, because they contain bearer tokens.
   * Default: none.
   */
  readonly withholdBodies?: (info: RequestInfo) => boolean;
}

export interface AuditContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ServerMetrics | undefined;
}

export class Audit {
  readonly #options: AuditOptions;
  readonly #context: AuditContext;
  readonly #decide: (attributes: ReturnType<typeof attributesOf>) => AuditDecision;

  constructor(options: AuditOptions, context: AuditContext) {
    this.#options = options;
    this.#context = context;
    this.#decide = compileAuditPolicy(options.policy);
  }

  filter(): RequestFilter {
    return (next) => (request) => {
      const event = this.#begin(request);
      if (event === undefined) return next(request);
      request.audit = event;
      this.#write(event, 'RequestReceived');
      let answer: ReturnType<typeof next>;
      try {
        answer = next(request);
      } catch (caught) {
        return this.#failed(request, event, caught);
      }
      if (!isPromise(answer)) return this.#answered(request, event, answer);
      return answer.then(
        (ready) => this.#answered(request, event, ready),
        (caught) => this.#failed(request, event, caught),
      );
    };
  }

  /** Logs a request that an earlier filter refused: authentication failed, or its timeout is malformed. */
  refused(request: ServerRequest, answer: Answer): void {
    const event = this.#begin(request);
    if (event === undefined) return;
    this.#note(event, answer);
    this.#write(event, 'ResponseStarted');
  }

  #begin(request: ServerRequest): AuditEvent | undefined {
    const decision = this.#decide(attributesOf(request.user, request.info));
    if (decision.level === 'None') return undefined;
    return new AuditEvent(request, decision, this.#options.withholdBodies?.(request.info) ?? false);
  }

  #answered(request: ServerRequest, event: AuditEvent, answer: Answer): Answer {
    this.#note(event, answer);
    return trackAnswer(answer, {
      begin: () => {
        if (request.longRunning) this.#write(event, 'ResponseStarted');
      },
      end: () => this.#write(event, 'ResponseComplete'),
    });
  }

  /**
   * Called when a later filter or the endpoint threw. Logs an error with a Status as its answer. Logs any other error
   * as a panic and throws it again.
   */
  #failed(request: ServerRequest, event: AuditEvent, caught: unknown): Answer {
    const status = statusOf(caught);
    if (status === undefined) {
      const { message } = toError(caught);
      const panic = { status: 'Failure', message: `APIServer panic'd: ${message}`, reason: 'InternalError' };
      event.answered(500, panic);
      this.#write(event, 'Panic');
      throw caught;
    }
    event.responseObject = status as unknown as JsonObject;
    request.failure = toError(caught);
    return this.#answered(request, event, statusAnswer(request, status));
  }

  #note(event: AuditEvent, answer: Answer): void {
    const code = statusOfAnswer(answer);
    const body = answer.kind === 'bytes' && isJson(answer) ? answer.body : undefined;
    // An endpoint that has recorded its object saves parsing the body.
    if (event.wantsResponseObject) event.responseObject ??= body;
    const said = event.responseObject;
    const status = isStatus(said) ? said : body === undefined ? undefined : statusFromBytes(body);
    event.answered(code, status);
  }

  #write(event: AuditEvent, stage: AuditStage): void {
    if (event.omits(stage)) return;
    const { clock, logger, metrics } = this.#context;
    try {
      metrics?.auditEvents.labels().add();
      this.#options.sink.write(event.line(stage, clock.now()));
    } catch (caught) {
      metrics?.auditErrors.labels('log').add();
      logger.error('an audit event could not be written', toError(caught), { stage });
    }
  }
}

function isStatus(object: Uint8Array | JsonObject | undefined): object is JsonObject {
  return object !== undefined && !(object instanceof Uint8Array) && object['kind'] === 'Status';
}

function isJson(answer: Extract<Answer, { kind: 'bytes' }>): boolean {
  const { headers } = answer;
  const type = headers['content-type'];
  return headers['content-encoding'] === undefined && typeof type === 'string' && type.startsWith('application/json');
}
