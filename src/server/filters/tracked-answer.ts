/**
 * Trackers that are called when an answer begins and ends. Answers of known size end at once, the others when their
 * stream or socket ends.
 *
 * Invariant: every `begin` is followed by exactly one `end`. All trackers of one answer share one wrapper.
 */
import type { ByteTunnel } from '../http/byte-stream.ts';
import type { Answer, AnswerHeaders, AnswerSink, WebSocketPeer } from '../http/exchange.ts';

export interface AnswerTracker {
  /** Called once, when the answer begins. */
  begin(): void;
  /** Called once after `begin`, when the answer is complete or its stream or socket has ended. */
  end(): void;
}

/** Returns the answer to send in place of the given one. */
export function trackAnswer(answer: Answer, tracker: AnswerTracker): Answer {
  switch (answer.kind) {
    case 'bytes':
    case 'chunks':
      tracker.begin();
      tracker.end();
      return answer;
    case 'stream': {
      const tracked = answer instanceof TrackedStream ? answer : new TrackedStream(answer);
      tracked.trackers.push(tracker);
      return tracked;
    }
    case 'websocket': {
      const tracked = answer instanceof TrackedWebSocket ? answer : new TrackedWebSocket(answer);
      tracked.trackers.push(tracker);
      return tracked;
    }
    case 'tunnel': {
      const tracked = answer instanceof TrackedTunnel ? answer : new TrackedTunnel(answer);
      tracked.trackers.push(tracker);
      return tracked;
    }
  }
}

type StreamAnswer = Extract<Answer, { kind: 'stream' }>;
type WebSocketAnswer = Extract<Answer, { kind: 'websocket' }>;
type TunnelAnswer = Extract<Answer, { kind: 'tunnel' }>;

class TrackedStream {
  readonly kind = 'stream' as const;
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly trackers: AnswerTracker[] = [];
  readonly #answer: StreamAnswer;

  constructor(answer: StreamAnswer) {
    this.#answer = answer;
    this.status = answer.status;
    this.headers = answer.headers;
  }

  start(sink: AnswerSink): void {
    for (const tracker of this.trackers) tracker.begin();
    const tracked = new TrackedSink(sink, this.trackers);
    sink.onClose(() => tracked.over());
    this.#answer.start(tracked);
  }
}

class TrackedSink implements AnswerSink {
  readonly #sink: AnswerSink;
  readonly #trackers: readonly AnswerTracker[];
  #over = false;

  constructor(sink: AnswerSink, trackers: readonly AnswerTracker[]) {
    this.#sink = sink;
    this.#trackers = trackers;
  }

  write(chunks: readonly Uint8Array[]): boolean {
    return this.#sink.write(chunks);
  }

  onDrain(listener: () => void): void {
    this.#sink.onDrain(listener);
  }

  end(trailers?: AnswerHeaders): void {
    this.#sink.end(trailers);
    this.over();
  }

  abort(): void {
    this.#sink.abort();
    this.over();
  }

  onClose(listener: () => void): void {
    this.#sink.onClose(listener);
  }

  over(): void {
    if (this.#over) return;
    this.#over = true;
    for (const tracker of this.#trackers) tracker.end();
  }
}

class TrackedWebSocket {
  readonly kind = 'websocket' as const;
  readonly headers: AnswerHeaders;
  readonly protocols: readonly string[];
  readonly trackers: AnswerTracker[] = [];
  readonly #answer: WebSocketAnswer;

  constructor(answer: WebSocketAnswer) {
    this.#answer = answer;
    this.headers = answer.headers;
    this.protocols = answer.protocols;
  }

  start(socket: WebSocketPeer): void {
    trackConnection(socket, this.trackers);
    this.#answer.start(socket);
  }
}

class TrackedTunnel {
  readonly kind = 'tunnel' as const;
  readonly headers: AnswerHeaders;
  readonly protocol: string;
  readonly trackers: AnswerTracker[] = [];
  readonly #answer: TunnelAnswer;

  constructor(answer: TunnelAnswer) {
    this.#answer = answer;
    this.headers = answer.headers;
    this.protocol = answer.protocol;
  }

  start(tunnel: ByteTunnel): void {
    trackConnection(tunnel, this.trackers);
    this.#answer.start(tunnel);
  }
}

/** WebSockets and tunnels call `onClose` whatever ended the connection. */
function trackConnection(connection: WebSocketPeer | ByteTunnel, trackers: readonly AnswerTracker[]): void {
  for (const tracker of trackers) tracker.begin();
  connection.onClose(() => {
    for (const tracker of trackers) tracker.end();
  });
}
