/**
 * The run of sequences on two servers. Invariant: both servers get the same requests in the same order; an update sends
 * each server its own object back, changed in the same way.
 */
import type { JsonObject } from '../../src/base/json-value.ts';
import { type Answer, ask, type Client } from '../diff/client.ts';
import { compareAnswers, type Difference } from '../diff/compare.ts';
import { createNormaliser, type Json, type Normaliser } from '../diff/normalise.ts';
import type { Step as Request } from '../diff/request.ts';
import { withoutAllocations } from '../kinds/views.ts';
import { editObject, formatStep, PATCH_TYPES, pathOf, type Sequence, type Step } from './sequence.ts';
import { collectionOf } from './subject.ts';

export interface StepDifference extends Difference {
  /** The position of the step in the sequence. */
  readonly index: number;
  /** The request, for people. */
  readonly step: string;
}

export interface SequenceResult {
  readonly sequence: Sequence;
  readonly differences: readonly StepDifference[];
  /** The smallest sequence with a difference, in words. */
  readonly minimised?: string;
}

export type Clients = readonly [Client, Client];

export interface RunOptions {
  readonly clients: Clients;
  /** Decides whether a difference ends the sequence. */
  isKnown(difference: StepDifference): boolean;
  /** Called with each answer of the reference. */
  seen?(sequence: Sequence, step: Step, answer: Answer): void;
}

/** The number of concurrent sequences. Clocked ones run all at once, because they mostly wait. */
const WIDTH = 6;
const AGENT = 'apply-suite/1';
/** Where in a second the steps of a clocked sequence start. */
const PHASE_MS = 60;

let runs = 0;

export async function runSequences(sequences: readonly Sequence[], options: RunOptions): Promise<SequenceResult[]> {
  const results: SequenceResult[] = [];
  const run = async (sequence: Sequence): Promise<void> => {
    results.push(await runSequence(sequence, options));
  };
  const queue = sequences.filter(({ clocked }) => !clocked);
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await run(next);
  };
  await Promise.all(sequences.filter(({ clocked }) => clocked).map(run));
  await Promise.all(Array.from({ length: WIDTH }, worker));
  const order = new Map(sequences.map(({ title }, i) => [title, i]));
  const position = ({ sequence }: SequenceResult): number => order.get(sequence.title) ?? 0;
  return results.sort((a, b) => position(a) - position(b));
}

/** Sends the steps until one differs in an unknown way. The object has a new name and is deleted at the end. */
export async function runSequence(sequence: Sequence, options: RunOptions): Promise<SequenceResult> {
  const { subject, steps, clocked } = sequence;
  const { clients } = options;
  const variables = new Map([['name', sequence.name ?? `s-${runs++}`]]);
  const now = Date.now();
  const normalisers = clients.map(({ peer }) => createNormaliser(peer.url, now, { keepTimes: clocked }));
  const differences: StepDifference[] = [];
  for (const [index, step] of steps.entries()) {
    if (clocked) await nextSecond();
    const requests = await Promise.all(clients.map((client) => requestOf(sequence, step, client, variables)));
    const answers = await Promise.all(clients.map((client, i) => ask(client, requests[i] as Request, variables)));
    options.seen?.(sequence, step, answers[0] as Answer);
    const sideOf = (i: 0 | 1): { answer: Answer; normaliser: Normaliser } => ({
      answer: answers[i] as Answer,
      normaliser: normalisers[i] as Normaliser,
    });
    const view = (body: Json): Json => withoutAllocations(body);
    // The reference lists the causes of conflicts with several managers from a map.
    const compared: Request = { ...(requests[0] as Request), view, anyOrder: 'causes' };
    const found = compareAnswers(compared, sideOf(0), sideOf(1)).map((difference) => ({
      ...difference,
      index,
      step: formatStep(subject, step),
    }));
    differences.push(...found);
    if (!found.every(options.isKnown)) break;
    if (sequence.settleMs !== undefined) await new Promise((resolve) => setTimeout(resolve, sequence.settleMs));
  }
  const path = `${collectionOf(subject, subject.versions[0] as string)}/{{name}}`;
  const remove: Request = { method: 'PATCH', path, type: PATCH_TYPES.merge, body: { metadata: { finalizers: null } } };
  await Promise.all(
    clients.map(async (client) => {
      await ask(client, remove, variables);
      await ask(client, { method: 'DELETE', path: `${path}?gracePeriodSeconds=0` }, variables);
    }),
  );
  return { sequence, differences };
}

/** Returns the request of a step to one server. */
async function requestOf(
  { subject }: Sequence,
  step: Step,
  client: Client,
  variables: ReadonlyMap<string, string>,
): Promise<Request> {
  const { method, patch, body, edit, agent = AGENT } = step;
  const sent = edit === undefined ? body : editObject(await readObject(), edit);
  return {
    method,
    path: pathOf(subject, step),
    headers: { 'user-agent': agent },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    ...(sent === undefined ? {} : { type: patch === undefined ? 'application/json' : PATCH_TYPES[patch] }),
  };

  async function readObject(): Promise<JsonObject> {
    const path = `${collectionOf(subject, step.version)}/{{name}}`;
    const { status, text } = await ask(client, { method: 'GET', path }, variables);
    return status === 200 ? (JSON.parse(text) as JsonObject) : { metadata: {} };
  }
}

/** Resolves a little after the next full second of the clock that both servers share. */
function nextSecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000 + PHASE_MS - (Date.now() % 1000)));
}
