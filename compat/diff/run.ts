/** Runs topics against two servers and collects what differs. */

import type { Pair } from '../peers/pair.ts';
import { type Answer, type Client, createClient, fill } from './client.ts';
import { compareAnswers, type Difference } from './compare.ts';
import { createNormaliser } from './normalise.ts';
import type { Case, Step, Topic } from './request.ts';

export interface StepResult {
  readonly topic: string;
  readonly case: string;
  readonly step: Step;
  /** `METHOD path` with the case's names filled in. */
  readonly title: string;
  readonly differences: readonly Difference[];
  readonly reference: Answer;
  readonly candidate: Answer;
}

/** How many cases run side by side: watches and revisions of the future wait, so more than there are cores. */
const WIDTH = 6;

/** Results in the order in which the cases are written. */
export async function runTopics(pair: Pair, topics: readonly Topic[]): Promise<StepResult[]> {
  const clients = [createClient(pair.reference), createClient(pair.candidate)] as const;
  const jobs = topics.flatMap((topic) =>
    topic.cases.map((one, i) => ({ topic: topic.name, one, namespace: `${topic.name}-${i + 1}` })),
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
  await Promise.all(sides.map(({ client, variables }) => send(client, prepare, variables)));
  const results: StepResult[] = [];
  for (const step of one.steps) {
    const prefix = (step.body as { metadata?: { generateName?: unknown } } | undefined)?.metadata?.generateName;
    if (typeof prefix === 'string') {
      for (const { normaliser, variables } of sides) normaliser.expectGenerated(fill(prefix, variables));
    }
    const answers = await Promise.all(sides.map(({ client, variables }) => send(client, step, variables)));
    const [reference, candidate] = answers as [Answer, Answer];
    sides.forEach(({ variables }, i) => {
      save(step, answers[i] as Answer, variables);
    });
    results.push({
      topic: topicName,
      case: one.name,
      step,
      title: `${step.method} ${fill(step.path, new Map([['ns', namespace]]))}`,
      differences: compareAnswers(
        step,
        { answer: reference, normaliser: sides[0]!.normaliser },
        { answer: candidate, normaliser: sides[1]!.normaliser },
      ),
      reference,
      candidate,
    });
  }
  return results;
}

/** A server that says nothing is an answer too: status 0 and the error's text. */
async function send(client: Client, step: Step, variables: ReadonlyMap<string, string>): Promise<Answer> {
  try {
    return await client.send(step, variables);
  } catch (error) {
    return {
      status: 0,
      headers: {},
      text: `no answer: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
    };
  }
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
