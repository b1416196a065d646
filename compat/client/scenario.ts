/** A scenario of the suite: a program that uses the client, and the transcript of what it saw. */
import type { Client, Discovery, TransportResponse } from '../../src/client/index.ts';
import {
  isBugError,
  isStatusError,
  isTransportError,
  isUnexpectedServerResponse,
  type StatusError,
} from '../../src/client/index.ts';
import type { Json, Normaliser } from '../diff/normalise.ts';
import type { TokenUser } from '../peers/peer.ts';

/** The tools of a scenario. Everything but `namespace` belongs to one server. */
export interface Stage {
  /** The client of the administrator. */
  readonly client: Client;
  readonly discovery: Discovery;
  /** The client of another user. */
  as(user: TokenUser | 'unknown'): Promise<Client>;
  /** A namespace of the scenario's own. */
  readonly namespace: string;
  readonly normaliser: Normaliser;
  /** Runs a call and writes its result, or its failure, into the transcript. Resolves with the result. */
  step<T>(title: string, call: () => Promise<T>): Promise<T | undefined>;
  /** Writes a value into the transcript. */
  note(title: string, value: unknown): void;
}

export interface Scenario {
  readonly name: string;
  run(stage: Stage): Promise<void>;
}

export interface TranscriptEntry {
  readonly title: string;
  readonly text: string;
}

export class Transcript {
  readonly entries: TranscriptEntry[] = [];
  readonly #normaliser: Normaliser;

  constructor(normaliser: Normaliser) {
    this.#normaliser = normaliser;
  }

  add(title: string, value: unknown): void {
    this.entries.push({ title, text: JSON.stringify(this.#normaliser.value(plain(value)), undefined, 1) });
  }

  async step<T>(title: string, call: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await call();
      this.add(title, result === undefined ? { result: 'undefined' } : result);
      return result;
    } catch (caught) {
      this.add(title, failureOf(caught));
      return undefined;
    }
  }
}

/** The parts of a failure that a program can depend on. The reasons are those that the guards see. */
function failureOf(caught: unknown): object {
  if (isStatusError(caught)) {
    const { status, retryable } = caught as StatusError;
    return { failure: 'StatusError', retryable, unexpected: isUnexpectedServerResponse(caught), status };
  }
  if (isTransportError(caught)) return { failure: 'TransportError', retryable: caught.retryable };
  if (isBugError(caught)) return { failure: 'BugError', message: caught.message };
  return { failure: caught instanceof Error ? caught.name : typeof caught };
}

/** JSON with bigints as text, so that a number that lost its digits is a difference. */
function plain(value: unknown): Json {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `<int64 ${part}>` : part)) ?? 'null',
  ) as Json;
}

/** The status and the text of a raw response. */
export async function responseText(response: TransportResponse): Promise<{ status: number; text: string }> {
  const { body } = response;
  if (body instanceof Uint8Array) return { status: response.status, text: new TextDecoder().decode(body) };
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return { status: response.status, text: text + decoder.decode() };
}
