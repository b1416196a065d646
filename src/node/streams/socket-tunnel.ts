/** A tunnel over a socket that was upgraded to another protocol, on either side of it. */
import type { Duplex } from 'node:stream';
import type { ByteSink, ByteTunnel } from '../../server/http/byte-stream.ts';
import { pipeReadable } from './pipe-readable.ts';
import { writeGroup } from './writable-sink.ts';

/** Called for a tunnel whose peer has a deadline. */
export interface TunnelEvents {
  /** Called when the tunnel is full: the peer has `unsent` bytes to read. */
  onFull(unsent: number): void;
  /** Called when the peer has read everything. */
  onDrained(): void;
  /** Called when the tunnel was ended: the connection closes after `unsent` bytes. */
  onEnding(unsent: number): void;
}

/** Takes over a socket without listeners of its own. `head` are bytes of the peer that were read already. */
export function openTunnel(socket: Duplex, head: Uint8Array, events?: TunnelEvents): ByteTunnel {
  const tunnel = new SocketTunnel(socket, head, events);
  tunnel.start();
  return tunnel;
}

class SocketTunnel implements ByteTunnel {
  readonly #socket: Duplex;
  readonly #head: Uint8Array;
  readonly #events: TunnelEvents | undefined;
  #closeListeners: (() => void)[] = [];
  #onDrain: (() => void) | undefined;
  /** Whether the tunnel was ended: nothing more is written. */
  #ended = false;
  #closed = false;

  constructor(socket: Duplex, head: Uint8Array, events: TunnelEvents | undefined) {
    this.#socket = socket;
    this.#head = head;
    this.#events = events;
  }

  start(): void {
    const socket = this.#socket;
    // The 'close' event that follows is handled.
    socket.on('error', () => {});
    socket.on('drain', () => {
      if (this.#ended) return;
      this.#events?.onDrained();
      this.#onDrain?.();
    });
    socket.on('end', () => this.end());
    socket.on('close', () => this.#handleClose());
    if (socket.destroyed) this.#handleClose();
  }

  write(chunks: readonly Uint8Array[]): boolean {
    if (this.#ended || this.#closed) return false;
    const ready = writeGroup(this.#socket, chunks);
    if (!ready) this.#events?.onFull(this.#socket.writableLength);
    return ready;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  /** Closes the connection after all bytes that were written. Bytes that the peer still sends are discarded. */
  end(): void {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    this.#events?.onEnding(this.#socket.writableLength);
    this.#socket.end();
    // Reads to the end: with unread bytes, closing would reset the connection and the peer could lose bytes.
    this.#socket.removeAllListeners('data');
    this.#socket.resume();
  }

  abort(): void {
    this.#ended = true;
    this.#socket.destroy();
  }

  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.push(listener);
  }

  pipeTo(sink: ByteSink): void {
    const socket = this.#socket;
    if (this.#head.byteLength > 0 && !socket.destroyed) socket.unshift(this.#head);
    pipeReadable(socket, sink, { onCancel: () => this.end() });
  }

  #handleClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    const listeners = this.#closeListeners;
    this.#closeListeners = [];
    for (const listener of listeners) listener();
  }
}
