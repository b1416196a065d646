/** Requests, loggers and chains for tests of the filters. */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { decodeUtf8, EMPTY_BYTES, encodeUtf8 } from '../../base/bytes.ts';
import type { LogFields, Logger } from '../../base/logger.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { AuthorizationResult, Authorizer, RequestAttributes } from '../authorizer.ts';
import { type ByteSource, EMPTY_SOURCE } from '../http/byte-stream.ts';
import type {
  Answer,
  AnswerSink,
  BodyResult,
  Connection,
  Handler,
  Incoming,
  PeerCertificate,
} from '../http/exchange.ts';
import { parseRequestInfo } from '../http/request-info.ts';
import { ServerRequest } from '../http/server-request.ts';
import { createLongRunningCheck, InFlightGate } from '../in-flight.ts';
import { buildChain, type ChainConfig } from './filter-chain.ts';

export interface FakeRequest {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: HttpHeaders;
  readonly certificate?: Partial<PeerCertificate>;
  readonly certificateProblem?: string;
  readonly remoteAddress?: string;
  readonly protocol?: Connection['protocol'];
}

export class FakeIncoming implements Incoming {
  readonly method: string;
  readonly target: string;
  readonly connection: Connection;
  readonly #headers: HttpHeaders;

  constructor(request: FakeRequest = {}) {
    this.method = request.method ?? 'GET';
    this.target = request.target ?? '/api/v1/namespaces/default/configmaps/x';
    this.#headers = request.headers ?? {};
    const { certificate: given, certificateProblem } = request;
    const certificate = given && {
      authorities: ['client'],
      commonName: 'carol',
      organizations: ['devs'],
      der: EMPTY_CERTIFICATE,
      ...given,
    };
    this.connection = {
      protocol: request.protocol ?? 'h2',
      secure: true,
      remoteAddress: request.remoteAddress ?? '127.0.0.1',
      certificate: () => certificate,
      certificateProblem: (authority) =>
        certificate === undefined || certificate.authorities.includes(authority)
          ? certificateProblem
          : 'x509: certificate signed by unknown authority',
    };
  }

  header(name: string): string | undefined {
    const values = this.headerValues(name);
    return values.length === 0 ? undefined : values.join(', ');
  }

  headerValues(name: string): readonly string[] {
    const value = this.#headers[name];
    return value === undefined ? [] : typeof value === 'string' ? [value] : value;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#headers);
  }

  body(): MaybePromise<BodyResult> {
    return { outcome: 'ok', bytes: EMPTY_BYTES };
  }

  bodySource(): ByteSource {
    return EMPTY_SOURCE;
  }

  onClose(): void {}
}

/** SEQUENCE { SEQUENCE { serial, algorithm, issuer, validity, subject } }; everything except the serial is empty. */
export const EMPTY_CERTIFICATE: Uint8Array = Uint8Array.from([
  0x30, 13, 0x30, 11, 0x02, 1, 1, 0x30, 0, 0x30, 0, 0x30, 0, 0x30, 0,
]);

export function fakeRequest(request: FakeRequest = {}, user?: UserInfo): ServerRequest {
  const incoming = new FakeIncoming(request);
  const parsed = parseRequestInfo(incoming.method, incoming.target);
  if (!parsed.ok) throw new Error(parsed.problem);
  const made = new ServerRequest(incoming, parsed.info, Date.UTC(2030, 0, 1));
  if (user !== undefined) made.user = user;
  return made;
}

export function userNamed(name: string, groups: readonly string[] = [], extra: UserInfo['extra'] = {}): UserInfo {
  return { name, uid: '', groups, extra };
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly error: Error | undefined;
  readonly fields: LogFields;
}

export class LogRecorder implements Logger {
  readonly lines: LogLine[] = [];

  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, error: undefined, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, error: undefined, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, error: undefined, fields });
  }

  error(message: string, error?: Error, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, error, fields });
  }
}

/** `true` allows; a text is the reason of a refusal, and `false` a refusal without a reason. */
export function authorizerOf(decide: (attributes: RequestAttributes) => boolean | string): Authorizer {
  return {
    authorize: (attributes): AuthorizationResult => {
      const decided = decide(attributes);
      return decided === true
        ? { decision: 'allow', reason: 'a rule', error: '' }
        : { decision: 'no-opinion', reason: decided === false ? '' : decided, error: '' };
    },
  };
}

export const OK_ANSWER: Answer = {
  kind: 'bytes',
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: encodeUtf8('ok'),
};

export interface TestChain {
  readonly clock: VirtualClock;
  readonly log: LogRecorder;
  readonly gate: InFlightGate;
  readonly handler: Handler;
  /** The requests that reached dispatch. */
  readonly dispatched: ServerRequest[];
}

/** A chain in which every request is sent by `alice` and allowed, unless `changes` says otherwise. */
export function testChain(changes: Partial<ChainConfig> = {}): TestChain {
  const clock = new VirtualClock();
  const log = new LogRecorder();
  const gate = changes.gate ?? new InFlightGate();
  const dispatched: ServerRequest[] = [];
  const dispatch = changes.dispatch ?? (() => OK_ANSWER);
  const handler = buildChain({
    clock,
    logger: log,
    newAuditId: () => 'new-id',
    authenticate: () => ({ outcome: 'ok', user: userNamed('alice', ['dev', 'system:authenticated']) }),
    authorizer: authorizerOf(() => true),
    isLongRunning: createLongRunningCheck({ verbs: ['watch'], subresources: ['exec'] }),
    ...changes,
    gate,
    dispatch: (request) => {
      dispatched.push(request);
      return dispatch(request);
    },
  });
  return { clock, log, gate, handler, dispatched };
}

export function bodyText(answer: Answer): string {
  if (answer.kind !== 'bytes') throw new Error(`a ${answer.kind} has no text`);
  return decodeUtf8(answer.body);
}

export function bodyJson(answer: Answer): Record<string, unknown> {
  return JSON.parse(bodyText(answer));
}

/** Returns the value. Fails the test if it is a promise. */
export function atOnce<T>(value: MaybePromise<T>): T {
  if (value instanceof Promise) throw new Error('a promise was returned');
  return value;
}

/** A sink that records what is written. `leave` disconnects the client. */
export class FakeSink implements AnswerSink {
  readonly written: Uint8Array[] = [];
  ended = false;
  aborted = false;
  #closers: (() => void)[] = [];

  write(chunks: readonly Uint8Array[]): boolean {
    this.written.push(...chunks);
    return true;
  }

  onDrain(): void {}

  end(): void {
    this.ended = true;
  }

  abort(): void {
    this.aborted = true;
  }

  onClose(listener: () => void): void {
    this.#closers.push(listener);
  }

  leave(): void {
    for (const listener of this.#closers.splice(0)) listener();
  }
}
