/** Sends requests of the proxy to this server itself, without a socket. */
import type { Transport, TransportResponse } from '../../apimachinery/http/transport.ts';
import { TransportError, toError } from '../../base/errors.ts';
import type { ByteSink } from '../../server/http/byte-stream.ts';
import type { OutboundResponse } from '../../server/http/outbound.ts';
import type { BackendRequest } from '../remote-version.ts';

/** Sends a request. Its body, if it has one, must be a Uint8Array. */
export async function sendToSelf(loopback: Transport, request: BackendRequest): Promise<OutboundResponse> {
  const { method, target, headers, body, signal } = request;
  if (body !== undefined && !(body instanceof Uint8Array))
    throw new TransportError('the body of a request to this server itself must be in memory');
  const controller = new AbortController();
  const both = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  const response = await loopback({ method, target, headers, signal: both, ...(body && { body }) });
  return new LoopbackResponse(response, controller);
}

class LoopbackResponse implements OutboundResponse {
  readonly status: number;
  readonly headers: OutboundResponse['headers'];
  readonly #body: TransportResponse['body'];
  readonly #controller: AbortController;

  constructor({ status, headers, body }: TransportResponse, controller: AbortController) {
    this.status = status;
    this.headers = headers;
    this.#body = body;
    this.#controller = controller;
  }

  pipeTo(sink: ByteSink): void {
    const body = this.#body;
    if (body instanceof Uint8Array) {
      if (body.byteLength > 0) sink.write([body]);
      sink.end();
      return;
    }
    pump(body, sink, this.#controller).catch((caught: unknown) => {
      this.#controller.abort(toError(caught));
      sink.abort();
    });
  }

  abort(): void {
    this.#controller.abort(new TransportError('the response was discarded'));
  }
}

async function pump(body: AsyncIterable<Uint8Array>, sink: ByteSink, controller: AbortController): Promise<void> {
  let wake = (): void => {};
  sink.onDrain(() => wake());
  sink.onClose(() => {
    controller.abort(new TransportError('the client has left'));
    wake();
  });
  for await (const chunk of body) {
    if (sink.write([chunk])) continue;
    if (controller.signal.aborted) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  if (!controller.signal.aborted) sink.end();
}
