/**
 * The recorder of events about objects: core/v1 Events, which `kubectl describe` shows.
 * Invariants:
 * - Recording never throws and never waits. Failures are logged.
 * - Events are written one after the other, in the order in which they were recorded. At most `maxQueued` events wait;
 *   further events are dropped and counted in the log.
 * - Repeated events become one Event whose count grows; see EventCorrelator.
 */
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import { isAlreadyExists, isNotFound, isStatusError, statusCause } from '../../apimachinery/status/status.ts';
import { nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import { onAbort } from '../../base/abort.ts';
import type { AbortSignalLike } from '../../base/abort-signal.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { isKeelsonError, toError } from '../../base/errors.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import { type Logger, SILENT } from '../../base/logger.ts';
import { Event } from '../../kinds/api/core/v1.ts';
import type { Api, Client } from '../api.ts';
import { timedCall } from '../timed-call.ts';
import { type CorrelatedEvent, EventCorrelator, type RecordedEvent } from './event-correlator.ts';

/** The object of an event. Any object that was read from the server can be used. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
}

export interface EventDetails {
  /** A part of the object: `spec.containers{web}`. Default: none. */
  readonly fieldPath?: string;
  /** Annotations of the Event. Default: none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface EventRecorder extends Stoppable {
  /** Records an event of type `Normal`. `reason` is one word in CamelCase, `message` a sentence for people. */
  normal(subject: EventSubject, reason: string, message: string, details?: EventDetails): void;
  /** Records an event of type `Warning`. */
  warning(subject: EventSubject, reason: string, message: string, details?: EventDetails): void;
  /** Resolves when every event that was recorded before has been written or dropped. */
  flush(): Promise<void>;
  /**
   * Accepts no more events, and tries to write each waiting event once. Resolves when this is done, or after `stopMs`.
   * Never rejects.
   */
  stop(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: Client;
  /** The program: `source.component` and `reportingComponent`. */
  readonly component: string;
  /** The machine or the pod: `source.host` and `reportingInstance`. Default ''. */
  readonly host?: string;
  /** The most events that wait to be written. Default 1,000, as in client-go. */
  readonly maxQueued?: number;
  /** The longest time that `stop` waits. Default 5 s. */
  readonly stopMs?: number;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Returns a number in [0, 1). Default: Math.random. */
  readonly random?: () => number;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
}

/** client-go's values. */
const MAX_TRIES = 12;
const RETRY_MS = 10_000;
const REQUEST_MS = 10_000;

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new QueuedRecorder(options);
}

type EventType = 'Normal' | 'Warning';

interface QueuedEvent extends RecordedEvent {
  readonly about: EventSubject;
  readonly details: EventDetails;
}

class QueuedRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #correlator = new EventCorrelator();
  readonly #queue: QueuedEvent[] = [];
  readonly #stopping = new AbortController();
  readonly #cutOff = new AbortController();
  #worker: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #dropped = 0;
  #lastNanos = 0n;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? SILENT;
  }

  normal(subject: EventSubject, reason: string, message: string, details: EventDetails = {}): void {
    this.#record('Normal', subject, { reason, message, details });
  }

  warning(subject: EventSubject, reason: string, message: string, details: EventDetails = {}): void {
    this.#record('Warning', subject, { reason, message, details });
  }

  async flush(): Promise<void> {
    await this.#worker;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #end(): Promise<void> {
    this.#stopping.abort();
    const { stopMs = 5_000 } = this.#options;
    const timer = this.#clock.setTimer(stopMs, () => this.#cutOff.abort());
    await this.flush();
    timer.cancel();
  }

  #record(
    type: EventType,
    about: EventSubject,
    what: { readonly reason: string; readonly message: string; readonly details: EventDetails },
  ): void {
    if (this.#stopping.signal.aborted) return;
    const { maxQueued = 1000 } = this.#options;
    if (this.#queue.length >= maxQueued) {
      if (this.#dropped++ === 0) this.#logger.warn('events are dropped: too many wait', { waiting: maxQueued });
      return;
    }
    const { name, namespace = '', uid = '' } = about.metadata;
    const { reason, message, details } = what;
    this.#queue.push({
      subject: [about.apiVersion, about.kind, namespace, name, uid, details.fieldPath ?? ''],
      type,
      reason,
      message,
      at: this.#clock.now(),
      name: this.#eventName(name),
      about,
      details,
    });
    this.#worker ??= this.#work();
  }

  /**
   * Returns the name of a new Event, as in client-go: the object and the time in nanoseconds. The names of one recorder
   * are unique.
   */
  #eventName(name: string): string {
    const now = BigInt(Math.trunc(this.#clock.now())) * 1_000_000n;
    this.#lastNanos = now > this.#lastNanos ? now : this.#lastNanos + 1n;
    const text = `${name}.${this.#lastNanos.toString(16)}`;
    // Some kinds allow names that are invalid for Events, such as RBAC names with a colon.
    return nameIsDnsSubdomain(text, false).length === 0 ? text : `event.${this.#lastNanos.toString(16)}`;
  }

  async #work(): Promise<void> {
    // Return to the caller first.
    await Promise.resolve();
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      if (this.#cutOff.signal.aborted) {
        this.#logger.warn('events are dropped: the recorder stopped', { events: this.#queue.length + 1 });
        this.#queue.length = 0;
        break;
      }
      if (this.#dropped > 0) this.#logger.warn('events were dropped: too many waited', { events: this.#dropped });
      this.#dropped = 0;
      const correlated = this.#correlator.correlate(event);
      if (correlated !== undefined) await this.#write(event, correlated);
    }
    this.#worker = undefined;
  }

  /** Tries until the event is written or the server refuses it. While the recorder stops, it tries only once. */
  async #write(event: QueuedEvent, correlated: CorrelatedEvent): Promise<void> {
    for (let tries = 1; ; tries++) {
      const failure = await this.#try(event, correlated);
      if (failure === undefined) return;
      const { reason, about } = event;
      const fields = { reason, kind: about.kind, name: about.metadata.name, error: failure.message };
      if (isExpected(failure)) {
        this.#logger.debug('the server refused an event', fields);
        return;
      }
      if (!mayRetry(failure) || tries === MAX_TRIES || this.#stopping.signal.aborted) {
        this.#logger.warn('cannot write an event', { ...fields, tries });
        return;
      }
      this.#logger.debug('cannot write an event; it is tried again', fields);
      // The first delay is random, so that many programs do not retry at the same time.
      await this.#wait(tries === 1 ? RETRY_MS * (this.#options.random ?? Math.random)() : RETRY_MS);
    }
  }

  async #try(event: QueuedEvent, correlated: CorrelatedEvent): Promise<Error | undefined> {
    const events = this.#options.client.api(Event, event.about.metadata.namespace ?? 'default');
    try {
      const stored = await timedCall(
        { clock: this.#clock, timeoutMs: REQUEST_MS, signal: this.#cutOff.signal },
        (signal) => this.#send(events, event, { correlated, signal }),
      );
      this.#correlator.stored(correlated.key, { name: stored.metadata.name, count: stored.count ?? correlated.count });
      return undefined;
    } catch (caught) {
      return toError(caught);
    }
  }

  async #send(
    events: Api<Event>,
    event: QueuedEvent,
    what: { readonly correlated: CorrelatedEvent; readonly signal: AbortSignalLike },
  ): Promise<{ readonly metadata: { readonly name: string }; readonly count?: number }> {
    const { correlated, signal } = what;
    const { count, message } = correlated;
    if (count > 1) {
      const body = { count, message, lastTimestamp: timeOf(correlated.lastAt) };
      try {
        return await events.patch(correlated.name, { type: 'strategic', body }, { signal });
      } catch (caught) {
        // The Event has expired. A new one begins with the count so far, as in client-go.
        if (!isNotFound(caught)) throw caught;
      }
    }
    return await events.create(this.#eventOf(event, correlated), { signal });
  }

  #eventOf(event: QueuedEvent, { name, count, message, firstAt, lastAt }: CorrelatedEvent): Event {
    const { component, host = '' } = this.#options;
    const { about, details, reason, type } = event;
    const { namespace, uid, resourceVersion } = about.metadata;
    return {
      metadata: {
        name,
        namespace: namespace ?? 'default',
        ...(details.annotations && { annotations: { ...details.annotations } }),
      },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name: about.metadata.name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
        ...(details.fieldPath !== undefined && { fieldPath: details.fieldPath }),
      },
      reason,
      message,
      type,
      count,
      firstTimestamp: timeOf(firstAt),
      lastTimestamp: timeOf(lastAt),
      source: { component, ...(host !== '' && { host }) },
      reportingComponent: component,
      reportingInstance: host,
    };
  }

  /** Waits. Ends early when the recorder stops. Does not keep the process alive. */
  async #wait(delayMs: number): Promise<void> {
    const ended = new Deferred<void>();
    const timer = this.#clock.setTimer(delayMs, () => ended.resolve(), { background: true });
    const stopListening = onAbort(this.#stopping.signal, () => ended.resolve());
    await ended.promise;
    timer.cancel();
    stopListening();
  }
}

/**
 * Whether the failure is expected: an earlier attempt has succeeded and its response was lost, or the namespace is
 * being deleted.
 */
function isExpected(error: Error): boolean {
  return isAlreadyExists(error) || statusCause(error, 'NamespaceTerminating') !== undefined;
}

/** Whether to retry. A server that refuses an event would refuse it again; other failures may pass, as in client-go. */
function mayRetry(error: Error): boolean {
  if (isStatusError(error)) return error.retryable;
  return !isKeelsonError(error) || error.keelsonError !== 'BugError';
}

function timeOf(millis: number): string {
  return formatTime(instantFromMillis(millis));
}
