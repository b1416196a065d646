/**
 * A TCP proxy that can stall: connections stay open, and no byte passes in either direction until it goes on. This is
 * how a partition looks to both sides.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class StallingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #stalled = false;

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.on('data', (chunk) => to.write(chunk));
        from.on('error', () => undefined);
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        // Attaching a data listener resumes a socket.
        if (this.#stalled) from.pause();
      }
    });
  }

  static async listen(port: number): Promise<StallingProxy> {
    const proxy = new StallingProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stall(): void {
    this.#stalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  goOn(): void {
    this.#stalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
