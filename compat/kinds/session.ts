/**
 * The two servers of a run and the differences between their answers. Invariant: every request goes to both (bodies may
 * contain each server's own revision and uid), and gives one result for each compared aspect.
 */
import { bodyText } from '../crds/mutate.ts';
import { isDict, type JsonDict } from '../crds/schema.ts';
import {
  compareBodies,
  compareMessages,
  compareVerdicts,
  compareWarnings,
  parse,
  readVerdict,
  type Verdict,
} from '../crds/verdict.ts';
import { type Answer, ask, type Client } from '../diff/client.ts';
import type { Difference } from '../diff/compare.ts';
import type { Json } from '../diff/normalise.ts';
import { compareOrder, withoutAges, withoutAllocations, withoutAllocationsInText } from './views.ts';

/** `verdict`: code, reason, causes. `object`: the body of a success. The others are separate. */
export const ASPECTS = ['verdict', 'object', 'table', 'warnings', 'discovery', 'order', 'messages'] as const;
export type Aspect = (typeof ASPECTS)[number];

export interface Result {
  /** The name of the subject. */
  readonly kind: string;
  readonly aspect: Aspect;
  /** The request, for people. */
  readonly title: string;
  readonly differences: readonly Difference[];
  /** The request, in a form that can be sent again. */
  readonly request: string;
}

export type Side = 0 | 1;

export interface Request {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** One body, or one for each server. */
  readonly body?: Json | ((side: Side) => Json);
  /** Default application/json. */
  readonly type?: string;
  readonly accept?: string;
}

export interface Asked {
  readonly reference: Verdict;
  readonly candidate: Verdict;
  /** The parsed answer of each server; undefined if it refused. */
  readonly bodies: readonly [JsonDict | undefined, JsonDict | undefined];
}

/** The compared part of a success: the object, a table, or the entries of a discovery document. */
export type View = 'object' | 'table' | { readonly discovery: (body: Json | undefined) => Json };

/** The number of concurrent requests of a session. */
const WIDTH = 6;
const SHOWN_BODY = 20_000;

export class Session {
  readonly results: Result[] = [];
  /** Sentences about objects of the suite that the reference does not accept. */
  readonly complaints: string[] = [];
  requests = 0;
  readonly #clients: readonly [Client, Client];
  readonly #waiting: (() => void)[] = [];
  #free = WIDTH;

  constructor(clients: readonly [Client, Client]) {
    this.#clients = clients;
  }

  /** Sends without comparing. */
  async ask(request: Request): Promise<Asked> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      const [left, right] = await Promise.all([this.#send(request, 0), this.#send(request, 1)]);
      const read = (answer: Answer, side: Side): Verdict => readVerdict(answer, this.#clients[side].peer.url);
      return { reference: read(left, 0), candidate: read(right, 1), bodies: [bodyOf(left), bodyOf(right)] };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  /** Sends and compares. */
  async check(kind: string, request: Request, view: View = 'object'): Promise<Asked> {
    this.requests++;
    const asked = await this.ask(request);
    for (const [aspect, differences] of Object.entries(compareAsked(asked, view)) as [Aspect, Difference[]][])
      this.results.push({ kind, aspect, title: request.title, differences, request: describe(request, differences) });
    return asked;
  }

  #send(request: Request, side: Side): Promise<Answer> {
    const { method, path, accept, type = 'application/json' } = request;
    const body = typeof request.body === 'function' ? request.body(side) : request.body;
    const step = {
      method,
      path,
      ...(body === undefined ? {} : { body: bodyText(body), type }),
      ...(accept === undefined ? {} : { accept }),
    };
    return ask(this.#clients[side], step, new Map());
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

function bodyOf({ status, text }: Answer): JsonDict | undefined {
  const body = status < 300 ? parse(text) : undefined;
  return isDict(body) ? body : undefined;
}

function describe({ method, path, body, type }: Request, differences: readonly Difference[]): string {
  if (differences.length === 0) return '';
  const text = body === undefined ? '' : JSON.stringify(typeof body === 'function' ? body(1) : body);
  return `${method} ${path}${type === undefined ? '' : ` (${type})`}\n${text.slice(0, SHOWN_BODY)}`;
}

/** Returns the differences by aspect, without aspects that do not apply. */
function compareAsked({ reference, candidate, bodies }: Asked, view: View): Partial<Record<Aspect, Difference[]>> {
  const verdict = compareVerdicts(reference, candidate);
  const agree = verdict.length === 0;
  const isObject = view === 'object';
  const result: Partial<Record<Aspect, Difference[]>> = { verdict };
  if (!agree) return result;
  if (reference.warnings.length + candidate.warnings.length > 0)
    result.warnings = compareWarnings(reference, candidate);
  if (reference.message !== '') {
    const plain = (one: Verdict): Verdict => ({ ...one, message: withoutAllocationsInText(one.message) });
    result.messages = compareMessages(plain(reference), plain(candidate));
  }
  if (reference.raw === undefined) return result;
  const [left, right] = [reference.body(), candidate.body()];
  if (view === 'table') result.table = compareBodies('table', withoutAges(left), withoutAges(right));
  else if (isObject) {
    result.object = compareBodies('body', withoutAllocations(left), withoutAllocations(right));
    result.order = compareOrder(bodies[0], bodies[1]);
  } else result.discovery = compareBodies('discovery', view.discovery(left), view.discovery(right));
  return result;
}
