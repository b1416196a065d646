/** The run of topics on two servers. */

import type { Pair } from '../peers/pair.ts';
import { type Answer, ask, type Client, createClient, fill } from './client.ts';
import { type Side as ComparedSide, compareAnswers, type Difference } from './compare.ts';
import { createNormaliser } from './normalise.ts';
import type { Case, Step, Topic } from './request.ts';

export interface StepResult {
  readonly topic: string;
  readonly case: string;
  readonly step: Step;
  /** `METHOD path` with the names of the case filled in. */
  readonly title: string;
  readonly differences: readonly Difference[];
  readonly reference: Answer;
  readonly candidate: Answer;
}

/** The number of concurrent cases, more than cores because watches and future revisions wait. */
const WIDTH = 6;
const LAG_TRIES = 10;
const LAG_MS = 40;
/** The time that a server gets for its loops. */
const UNTIL_MS = 8000;

/** Returns results in the order of the cases. */
export async function runTopics(pair: Pair, topics: readonly Topic[]): Promise<StepResult[]> {
  const clients = [createClient(pair.reference), createClient(pair.candidate)] as const;
  const jobs = topics.flatMap((topic) =>
    topic.cases.map((one, i) => ({ topic: topic.name, one, namespace: `${topic.name.replaceAll(' ', '-')}-${i + 1}` })),
  );
  const results: StepResult[][] = jobs.map(() => []);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < jobs.length; i = next++) {
      const job = jobs[i] as (typeof jobs)[number];
      results[i] = await runCase(clients, job.topic, job.one, job.namespace);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  for (const client of clients) client.close();
  return results.flat();
}

async function runCase(
  clients: readonly [Client, Client],
  topicName: string,
  one: Case,
  namespace: string,
): Promise<StepResult[]> {
  const now = Date.now();
  const sides = clients.map((client) => ({
    client,
    variables: new Map([['ns', namespace]]),
    normaliser: createNormaliser(client.peer.url, now),
  }));
  const prepare: Step = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: '{{ns}}' } } };
  await Promise.all(sides.map(({ client, variables }) => ask(client, prepare, variables)));
  const results: StepResult[] = [];
  for (const step of one.steps) {
    const prefix = (step.body as { metadata?: { generateName?: unknown } } | undefined)?.metadata?.generateName;
    if (typeof prefix === 'string') {
      for (const { normaliser, variables } of sides) normaliser.expectGenerated(fill(prefix, variables));
    }
    const answers = await Promise.all(sides.map((side) => askUntil(side.client, step, side.variables)));
    const compare = (): Difference[] => compareAnswers(step, sideOf(0), sideOf(1));
    const sideOf = (i: 0 | 1): ComparedSide => ({
      answer: answers[i] as Answer,
      normaliser: (sides[i] as (typeof sides)[number]).normaliser,
    });
    let differences = compare();
    for (let i = 0; i < LAG_TRIES && differences.length > 0 && mayLag(step, answers as [Answer, Answer]); i++) {
      await new Promise((resolve) => setTimeout(resolve, LAG_MS));
      for (const [at, { client, variables }] of sides.entries())
        if (client.peer.name.startsWith('reference')) answers[at] = await ask(client, step, variables);
      differences = compare();
    }
    sides.forEach(({ variables }, i) => {
      save(step, answers[i] as Answer, variables);
    });
    const [reference, candidate] = answers as [Answer, Answer];
    const title = `${step.method} ${fill(step.path, new Map([['ns', namespace]]))}`;
    results.push({ topic: topicName, case: one.name, step, title, differences, reference, candidate });
  }
  return results;
}

/** Returns the first answer with the code that the step waits for, or the last one. */
async function askUntil(client: Client, step: Step, variables: ReadonlyMap<string, string>): Promise<Answer> {
  const end = Date.now() + UNTIL_MS;
  for (;;) {
    const answer = await ask(client, step, variables);
    if (step.until === undefined || answer.status === step.until || Date.now() > end) return answer;
    await new Promise((resolve) => setTimeout(resolve, LAG_MS));
  }
}

/**
 * The reference authorizes requests, and answers reads at any revision (resourceVersion=0), from caches that follow
 * writes by milliseconds. If that may explain the difference, it is asked again. Our server is asked once, because it
 * must be right at once. Writes are not repeated.
 */
function mayLag(step: Step, [reference, candidate]: readonly [Answer, Answer]): boolean {
  if (/reviews$/.test(step.path)) return true;
  if (step.method === 'GET' && /resourceVersion=0(?:&|$)/.test(step.path)) return true;
  if (reference.status === candidate.status) return false;
  return step.method === 'GET' || [401, 403, 404].includes(reference.status);
}

function save(step: Step, answer: Answer, variables: Map<string, string>): void {
  for (const [name, path] of Object.entries(step.save ?? {})) {
    let value: unknown;
    try {
      value = path
        .split('.')
        .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], JSON.parse(answer.text));
    } catch {
      value = undefined;
    }
    if (value !== undefined) variables.set(name, String(value));
  }
}
