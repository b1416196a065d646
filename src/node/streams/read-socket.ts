/**
 * Reads a socket without the buffer of its stream. For each read, the stream would emit an event and then ask for more
 * in a tick of its own, which costs a tenth of a small request.
 */
import type { Socket } from 'node:net';

/**
 * Hands all bytes to the listener as they arrive, those that the stream has buffered already first. The socket must not
 * be paused afterwards. `end`, `close` and `error` are emitted as by any socket.
 */
export function readSocket(socket: Socket, listener: (bytes: Buffer) => void): void {
  for (let early = take(socket); early !== null; early = take(socket)) listener(early);
  const push = socket.push.bind(socket);
  // The handle of a socket calls `push` with each read, and with null at the end.
  socket.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) return push(null);
    listener(chunk);
    return true;
  };
  // Starts to read, and lets the end be emitted.
  socket.on('data', listener);
}

function take(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}
