/**
 * One stream of an HTTP/2 connection, in either role: its flow-control windows and its outgoing body. Chunks wait here,
 * by reference, until the connection calls `advance`.
 * Invariant: the stream never writes more than the windows of the peer allow.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import type { ChunkSource } from '../../server/http/chunk-source.ts';
import type { Filler, FrameOutput } from './frame-output.ts';
import { FRAME_HEADER, FRAME_LIMIT } from './frames.ts';

/** DATA frames that one stream writes before the next stream's turn. */
const GROUP_FRAMES = 4;
/** Unsent bytes of a streamed body at which `write` returns false. */
const HIGH_WATER = 64 * 1024;
/** Sent chunks that stay referenced in `#waiting` before they are removed, for a peer that never catches up. */
const MAX_SENT = 1_000;

export type Progress =
  /** There is nothing to write until the body continues. */
  | 'waiting'
  /** More to write in the next turn. */
  | 'more'
  /** The peer's windows are exhausted. */
  | 'blocked';

/** The interface of a connection that its streams use for flow control. */
export interface FlowConnection {
  /** The peer's flow-control windows: of the connection, and the initial one of a new stream. */
  sendWindow: number;
  readonly initialSendWindow: number;
  /** Called when the stream has frames to write; the connection calls its `advance` in the next flush. */
  queue(stream: H2Stream): void;
  /** Encodes the block of trailers, which must be written before the next call. Throws if HTTP does not allow one. */
  encodeTrailers(trailers: HttpHeaders): Buffer;
  /** Allows the peer to send `bytes` more on a stream. */
  sendWindowUpdate(stream: number, bytes: number): void;
}

export abstract class H2Stream {
  abstract readonly id: number;
  abstract readonly connection: FlowConnection;
  abstract readonly isClosed: boolean;
  /** Whether the stream is in the connection's list of streams with frames to write. */
  isQueued = false;
  /** The peer's flow-control window of this stream. */
  sendWindow: number;
  /** Bytes that the peer may still send. */
  #receiveWindow: number;
  readonly #maxReceiveWindow: number;
  /** Received bytes that no WINDOW_UPDATE has returned yet. */
  #consumed = 0;
  /** Chunks to send, from `#firstWaiting` on; of the first one, from `#offset` on. */
  #waiting: Uint8Array[] = [];
  #firstWaiting = 0;
  #waitingBytes = 0;
  #offset = 0;
  #source: ChunkSource | undefined;
  /** Whether the body has no more chunks than those in `#waiting`. */
  #ending = false;
  /** Sent after the body, in place of END_STREAM on its last frame. */
  #trailers: HttpHeaders | undefined;
  /** Whether END_STREAM was written. */
  #localEnded = false;
  #onDrain: (() => void) | undefined;
  #needsDrain = false;

  constructor(sendWindow: number, receiveWindow: number) {
    this.sendWindow = sendWindow;
    this.#receiveWindow = receiveWindow;
    this.#maxReceiveWindow = receiveWindow;
  }

  /** Writes the header blocks that are due. Calls `endWithHead` if no body follows. */
  protected abstract writeHead(output: FrameOutput): void;
  /** Called once when END_STREAM is written. */
  protected abstract localEnd(): void;
  /** Called when `write` returns false, with the number of unsent bytes. */
  protected abstract becameFull(bytes: number): void;
  /** Called before the drain listener. */
  protected abstract becameReady(): void;
  /** Called when the body can have no more chunks, with the number of unsent bytes. */
  protected abstract becameEnding(bytes: number): void;
  /** Called after each DATA frame of a chunk source, with its size. */
  protected abstract sourceAdvanced(bytes: number): void;

  // Receiving

  /** Counts received bytes, padding included. Returns false if they exceed the window. */
  protected countReceived(flowBytes: number): boolean {
    this.#receiveWindow -= flowBytes;
    if (this.#receiveWindow < 0) return false;
    this.#consumed += flowBytes;
    return true;
  }

  /** Returns received bytes to the peer's window, in steps of half a window. */
  protected updateWindow(): void {
    if (this.#consumed < this.#maxReceiveWindow / 2) return;
    this.connection.sendWindowUpdate(this.id, this.#consumed);
    this.#receiveWindow += this.#consumed;
    this.#consumed = 0;
  }

  // Sending

  /** The body has no more chunks than those that were queued. */
  protected get isWhole(): boolean {
    return this.#ending;
  }

  get localEnded(): boolean {
    return this.#localEnded;
  }

  /** Sends these bytes as the whole body. */
  protected sendWhole(body: Uint8Array): void {
    this.#waiting.push(body);
    this.#ending = true;
  }

  /** Sends the chunks of the source as the whole body. */
  protected sendSource(source: ChunkSource): void {
    this.#source = source;
  }

  /** See ByteSink. */
  write(chunks: readonly Uint8Array[]): boolean {
    if (this.#ending || this.isClosed) return false;
    if (this.#firstWaiting > MAX_SENT) {
      this.#waiting.splice(0, this.#firstWaiting);
      this.#firstWaiting = 0;
    }
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i]!;
      if (chunk.length === 0) continue;
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
    }
    if (this.#waiting.length > 0) this.connection.queue(this);
    if (this.#waitingBytes <= HIGH_WATER) return true;
    this.#needsDrain = true;
    this.becameFull(this.#waitingBytes);
    return false;
  }

  /** See ByteSink. */
  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  /** See ByteSink. */
  end(trailers?: HttpHeaders): void {
    if (this.#ending || this.isClosed) return;
    this.#trailers = trailers;
    this.#ending = true;
    this.becameEnding(this.#waitingBytes);
    this.connection.queue(this);
  }

  /** Writes headers and as many DATA frames as windows and fairness allow. */
  advance(output: FrameOutput): Progress {
    this.writeHead(output);
    if (this.#localEnded) return 'waiting';
    if (this.#source !== undefined && this.#room() === FRAME_LIMIT)
      output.expect(GROUP_FRAMES * (FRAME_LIMIT + FRAME_HEADER));
    for (let frames = 0; ; frames++) {
      if (frames === GROUP_FRAMES) return 'more';
      const room = this.#room();
      if (room <= 0 && this.#next() !== undefined) return 'blocked';
      const size = room > 0 ? this.#writeFrame(output, room) : 0;
      if (this.#localEnded) return 'waiting';
      if (size === 0) break;
    }
    if (this.#ending) {
      output.beginData(0);
      this.#endLocal(output, 0);
    } else this.#drained();
    return 'waiting';
  }

  /** The header block had END_STREAM. */
  protected endWithHead(): void {
    this.#localEnded = true;
    this.localEnd();
  }

  /** Drops the unsent body. */
  protected dropBody(): void {
    this.#waiting = [];
    this.#source = undefined;
  }

  /** Returns how many bytes the next DATA frame may have. */
  #room(): number {
    return Math.min(this.sendWindow, this.connection.sendWindow, FRAME_LIMIT);
  }

  /** Writes one DATA frame of at most `room` bytes. Returns its size; 0 if there is nothing to write. */
  #writeFrame(output: FrameOutput, room: number): number {
    output.beginData(room);
    let size = 0;
    try {
      size = this.#fill(output, room) || this.#copy(output, room);
    } finally {
      // Also if the source throws: other connections share the output.
      if (size === 0) output.dropData();
    }
    if (size === 0) return 0;
    this.sendWindow -= size;
    this.connection.sendWindow -= size;
    this.#waitingBytes -= size;
    if (this.#source !== undefined) this.sourceAdvanced(size);
    if (this.#ending && this.#next() === undefined) this.#endLocal(output, size);
    else output.endData(this.id, size, false);
    return size;
  }

  #copy(output: FrameOutput, room: number): number {
    // The source fills the next frame itself.
    const canFill = this.#source?.fill !== undefined;
    let size = 0;
    for (let chunk = this.#next(); chunk !== undefined && size < room; chunk = this.#next(canFill)) {
      const end = Math.min(chunk.length, this.#offset + room - size);
      output.data(chunk, this.#offset, end);
      size += end - this.#offset;
      this.#offset = end;
    }
    return size;
  }

  /** Lets the source copy its bytes into the frame, if it can. */
  #fill(output: FrameOutput, room: number): number {
    const source = this.#source;
    if (source?.fill === undefined || this.#waiting.length > this.#firstWaiting) return 0;
    return output.fill(source as Filler, room);
  }

  /**
   * Returns the first chunk with unsent bytes; undefined if there is none. `waitingOnly` does not ask the source for
   * more.
   */
  #next(waitingOnly = false): Uint8Array | undefined {
    const waiting = this.#waiting;
    for (;;) {
      const first = waiting[this.#firstWaiting];
      if (first !== undefined) {
        if (this.#offset < first.length) return first;
        this.#offset = 0;
        this.#firstWaiting++;
        continue;
      }
      if (this.#firstWaiting > 0) {
        waiting.length = 0;
        this.#firstWaiting = 0;
      }
      if (waitingOnly) return undefined;
      const more = this.#source?.next();
      if (more === undefined) {
        if (this.#source !== undefined) {
          this.#source = undefined;
          this.#ending = true;
        }
        return undefined;
      }
      waiting.push(more);
    }
  }

  /** Ends the DATA frame that was begun, and the stream. */
  #endLocal(output: FrameOutput, size: number): void {
    const trailers = this.#trailers;
    if (trailers === undefined) output.endData(this.id, size, true);
    else {
      if (size > 0) output.endData(this.id, size, false);
      else output.dropData();
      output.headers(this.id, this.connection.encodeTrailers(trailers), true);
    }
    this.#localEnded = true;
    this.localEnd();
  }

  #drained(): void {
    if (!this.#needsDrain) return;
    this.#needsDrain = false;
    this.becameReady();
    this.#onDrain?.();
  }
}
