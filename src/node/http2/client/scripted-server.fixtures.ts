/** A client connection in memory whose server is the script of a test, and recorders of its requests and bodies. */
import type { TLSSocket } from 'node:tls';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { ByteSink, ByteSource } from '../../../server/http/byte-stream.ts';
import type { OutboundResponse } from '../../../server/http/outbound.ts';
import type { RequestEvents } from '../../outbound/request-events.ts';
import { FLAG, FRAME, PREFACE } from '../frames.ts';
import type { ClientSettings } from '../settings.ts';
import { H2Shared } from '../shared.ts';
import { block, type Entries, FrameLog, frame, MemorySocket, settings, turns } from '../wire.fixtures.ts';
import { ClientConnection } from './client-connection.ts';
import type { ClientRequest, ClientStream } from './client-stream.ts';

/** The frames of a client, without its preface. */
class ClientLog extends FrameLog {
  #preface = 0;

  override push(bytes: Buffer): void {
    const skipped = Math.min(bytes.length, PREFACE.length - this.#preface);
    this.#preface += skipped;
    super.push(bytes.subarray(skipped));
  }
}

/** A sink that records, and is full on demand. */
export class RecordingSink implements ByteSink {
  readonly chunks: Uint8Array[] = [];
  isFull = false;
  outcome = 'open';
  drain = (): void => {};
  close = (): void => {};

  write(chunks: readonly Uint8Array[]): boolean {
    this.chunks.push(...chunks);
    return !this.isFull;
  }

  onDrain(listener: () => void): void {
    this.drain = listener;
  }

  end(): void {
    this.outcome = 'ended';
  }

  abort(): void {
    this.outcome = 'aborted';
  }

  onClose(listener: () => void): void {
    this.close = listener;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}

/** The events of one request, in order. */
export class Recorded implements RequestEvents<OutboundResponse> {
  readonly events: string[] = [];
  response: OutboundResponse | undefined;
  error: Error | undefined;
  readonly sink: RecordingSink = new RecordingSink();
  stream!: ClientStream;
  /** Pipes the response when it arrives. Default true. */
  pipes = true;

  answered(response: OutboundResponse): void {
    this.events.push(`answered ${response.status}`);
    this.response = response;
    if (this.pipes) response.pipeTo(this.sink);
  }

  failed(error: Error): void {
    this.events.push('failed');
    this.error = error;
  }

  closed(): void {
    this.events.push('closed');
  }

  get message(): string {
    return this.error?.message ?? '';
  }
}

/** A source whose sink the test writes to. */
export class ManualSource implements ByteSource {
  sink!: ByteSink;
  isClosed = false;

  pipeTo(sink: ByteSink): void {
    this.sink = sink;
    sink.onClose(() => {
      this.isClosed = true;
    });
  }
}

export interface Scripted {
  readonly log: FrameLog;
  readonly socket: MemorySocket;
  readonly connection: ClientConnection;
  readonly clock: VirtualClock;
  /** `max N`, `retired` and `closed`, in order. */
  readonly events: string[];
  /** Sends a request and waits until it is written. */
  ask(more?: Partial<ClientRequest>, pipes?: boolean): Promise<Recorded>;
  /** Sends frames of the server and waits until they are handled. */
  send(...frames: readonly Uint8Array[]): Promise<void>;
}

export const WINDOW = 100_000;
const SETTINGS: ClientSettings = { streamWindowBytes: WINDOW, maxHeaderBytes: 64 * 1024, maxHeaderCount: 100 };

/** Connects to a server that sends these settings first. */
export async function scripted(...entries: Entries): Promise<Scripted> {
  const clock = new VirtualClock();
  const log = new ClientLog();
  const socket = new MemorySocket(log);
  const events: string[] = [];
  const connection = new ClientConnection({
    socket: socket as unknown as TLSSocket,
    shared: new H2Shared(clock),
    settings: SETTINGS,
    clock,
    events: {
      maxStreams: (limit) => events.push(`max ${limit}`),
      retired: () => events.push('retired'),
      closed: () => events.push('closed'),
    },
  });
  connection.start();
  const send = async (...frames: readonly Uint8Array[]): Promise<void> => {
    socket.push(Buffer.concat(frames));
    await turns();
  };
  await send(settings(...entries));
  return {
    log,
    socket,
    connection,
    clock,
    events,
    send,
    ask: async (more = {}, pipes = true) => {
      const recorded = new Recorded();
      recorded.pipes = pipes;
      recorded.stream = connection.send(
        { method: 'GET', path: '/', authority: 'a', headers: {}, body: undefined, ...more },
        recorded,
      );
      await turns();
      return recorded;
    },
  };
}

export interface Reply {
  readonly status?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** No body follows. */
  readonly ends?: boolean;
}

/** HEADERS of a response. */
export function response(stream: number, { status = '200', headers = {}, ends = false }: Reply = {}): Buffer {
  const flags = FLAG.endHeaders | (ends ? FLAG.endStream : 0);
  return frame(FRAME.headers, flags, stream, block({ ':status': status, ...headers }));
}
