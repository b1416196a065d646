/**
 * The two servers of a run and the differences between their answers. Invariant: every request goes to both with the
 * same body, and gives one result for each compared aspect.
 */
import { type Answer, ask, type Client, createClient } from '../diff/client.ts';
import type { Difference } from '../diff/compare.ts';
import type { Json } from '../diff/normalise.ts';
import type { Step } from '../diff/request.ts';
import type { Peer } from '../peers/peer.ts';
import { bodyText } from './mutate.ts';
import {
  compareBodies,
  compareMessages,
  compareVerdicts,
  compareWarnings,
  readVerdict,
  type Verdict,
} from './verdict.ts';

/**
 * `definition`: CRDs accepted or refused. `object`: requests about objects. The others are parts of a success or
 * refusal.
 */
export const ASPECTS = [
  'definition',
  'stored definition',
  'status',
  'object',
  'warnings',
  'body',
  'table',
  'discovery',
  'openapi schemas',
  'openapi operations',
  'messages',
] as const;
export type Aspect = (typeof ASPECTS)[number];

export interface Result {
  readonly project: string;
  readonly crd: string;
  readonly aspect: Aspect;
  /** The request, for people. */
  readonly title: string;
  readonly differences: readonly Difference[];
  /** A minimised request and the relevant part of the schema. */
  readonly minimised?: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  /** The kind of patch. Default: the body is not a patch. */
  readonly patch?: 'merge' | 'json';
  readonly accept?: string;
}

export interface Asked {
  readonly verdicts: readonly Verdict[];
  readonly answers: readonly Answer[];
  readonly reference: Verdict;
  /** Undefined if only the reference runs. */
  readonly candidate: Verdict | undefined;
}

/** The reference needs half a minute for the largest definitions while it publishes others. */
const TIMEOUT = 120_000;
const PATCH_TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' } as const;

export class Session {
  readonly results: Result[] = [];
  /** The number of mutated objects that were sent. */
  mutated = 0;
  accepted = 0;
  refused = 0;
  #clients: readonly Client[] = [];
  readonly #counts = new Map<string, number>();

  /** Sends further requests to these servers, the reference first. With one server nothing is compared. */
  connect(peers: readonly Peer[]): void {
    this.#clients = peers.map((peer) => createClient(peer, TIMEOUT));
  }

  get compares(): boolean {
    return this.#clients.length > 1;
  }

  /** Reports whether the server at this index is the reference, or a second one. */
  isReference(index: number): boolean {
    return this.#clients[index]?.peer.name.startsWith('reference') === true;
  }

  async ask(request: Request, variables: readonly ReadonlyMap<string, string>[] = []): Promise<Asked> {
    const answers = await Promise.all(
      this.#clients.map((client, i) => ask(client, stepOf(request), variables[i] ?? new Map())),
    );
    const verdicts = answers.map((answer, i) => readVerdict(answer, (this.#clients[i] as Client).peer.url));
    return { answers, verdicts, reference: verdicts[0] as Verdict, candidate: verdicts[1] };
  }

  /** Sends only to the reference, which decides what is valid. */
  async askReference(request: Request): Promise<Verdict> {
    const client = this.#clients[0] as Client;
    return readVerdict(await ask(client, stepOf(request), new Map()), client.peer.url);
  }

  /** Repeats the request every `ms` until the check holds for every server, or the tries run out. */
  async askUntil(request: Request, holds: (verdict: Verdict) => boolean, tries = 200, ms = 25): Promise<Asked> {
    let asked = await this.ask(request);
    for (let i = 0; i < tries && !asked.verdicts.every(holds); i++) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      asked = await this.ask(request);
    }
    return asked;
  }

  /** Counts something for the summary. */
  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  summary(): string {
    return [...this.#counts].map(([what, times]) => `${what}: ${times}`).join(', ');
  }

  add(result: Result): void {
    if (this.compares) this.results.push(result);
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

/**
 * Returns the differences between the answers to one request, by aspect, without aspects that do not apply. Bodies are
 * compared only for objects (`ofObject`): definitions are large and are compared once, when their conditions are
 * stable.
 */
export function compareAsked({ reference, candidate }: Asked, ofObject = true): Partial<Record<Aspect, Difference[]>> {
  if (candidate === undefined) return {};
  const verdict = compareVerdicts(reference, candidate);
  const agree = verdict.length === 0;
  return {
    object: verdict,
    ...(reference.warnings.length + candidate.warnings.length > 0 && agree
      ? { warnings: compareWarnings(reference, candidate) }
      : {}),
    ...(agree && ofObject && reference.raw !== undefined
      ? { body: compareBodies('body', reference.body(), candidate.body()) }
      : {}),
    ...(agree && reference.message !== '' ? { messages: compareMessages(reference, candidate) } : {}),
  };
}

function stepOf({ method, path, body, patch, accept }: Request): Step {
  const type = patch === undefined ? 'application/json' : PATCH_TYPES[patch];
  return {
    method,
    path,
    ...(body === undefined ? {} : { body: bodyText(body), type }),
    ...(accept === undefined ? {} : { accept }),
  };
}
