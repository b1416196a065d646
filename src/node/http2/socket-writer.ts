/**
 * Writes the output of one turn to the socket, counts unsent bytes, and releases the slabs once the kernel has taken
 * their bytes.
 */
import type { Socket } from 'node:net';
import type { FrameOutput, Written } from './frame-output.ts';

/** Bytes that the kernel has not taken yet. Beyond this, the connection writes nothing more until it has. */
const MAX_UNSENT = 256 * 1024;

export class SocketWriter {
  readonly #socket: Socket;
  readonly #output: FrameOutput;
  readonly #onTaken: () => void;
  /** Writes that the kernel has not taken yet, oldest first. */
  readonly #writes: Written[] = [];
  #unsent = 0;
  readonly #onWritten = (error?: Error | null): void => this.#written(error);

  /** `onTaken` is called whenever the kernel has taken a write. It is not called for a write that failed. */
  constructor(socket: Socket, output: FrameOutput, onTaken: () => void) {
    this.#socket = socket;
    this.#output = output;
    this.#onTaken = onTaken;
  }

  get unsent(): number {
    return this.#unsent;
  }

  get isFull(): boolean {
    return this.#unsent >= MAX_UNSENT;
  }

  write(written: Written): void {
    const { pieces, size } = written;
    this.#unsent += size;
    this.#writes.push(written);
    const socket = this.#socket;
    if (pieces.length > 1) socket.cork();
    for (let i = 0; i < pieces.length; i++) {
      if (i === pieces.length - 1) socket.write(pieces[i]!, this.#onWritten);
      else socket.write(pieces[i]!);
    }
    if (pieces.length > 1) socket.uncork();
  }

  #written(error: Error | null | undefined): void {
    const written = this.#writes.shift();
    if (written === undefined) return;
    this.#unsent -= written.size;
    this.#output.release(written);
    if (!error) this.#onTaken();
  }
}
