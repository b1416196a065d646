/** A request on its way to another server, and its outcome. */
import type { OutboundRequest } from '../../server/http/outbound.ts';
import type { ParsedTarget } from './target.ts';

/** The outcome of a request. The first call of `answered` or `failed` counts; `closed` follows once. */
export interface RequestEvents<T> {
  /** Called with the response, or with the result of an upgrade. */
  answered(value: T): void;
  /** Called when the request fails; after `answered`, when the response body fails. */
  failed(error: Error): void;
  /** Called when the request, the response body and the tunnel are over. */
  closed(): void;
}

/** Aborts a request, its response body or its tunnel. */
export type Abort = (error: Error) => void;

export const BODY_ABORTED = 'the request body was aborted';

/** The parts of a request that are sent, apart from its target. */
export interface Message extends Pick<OutboundRequest, 'method' | 'headers'> {
  readonly body?: OutboundRequest['body'] | undefined;
}

/** A request to send, with its parsed target. */
export interface Sending<Request, Result> {
  readonly request: Request;
  readonly target: ParsedTarget;
  readonly events: RequestEvents<Result>;
}
