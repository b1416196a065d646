/** The run of cases on two servers: all webhooks of a batch are installed first, because the reference reads them late. */
import { type Answer, ask, createClient, fill } from '../diff/client.ts';
import { compareAnswers, compareValues, type Difference } from '../diff/compare.ts';
import { createNormaliser, type Json, type Normaliser } from '../diff/normalise.ts';
import type { Pair } from '../peers/pair.ts';
import type { AdmissionCase } from './admission-case.ts';
import { cacheIsFresh } from './fresh-cache.ts';
import { install, type Side } from './install.ts';
import { type ReceivedReview, type Recorder, startRecorder } from './recorder.ts';

export interface CaseResult {
  readonly case: AdmissionCase;
  /** `step 1 status`, `review 2 body.request.name`. */
  readonly differences: readonly Difference[];
}

const WIDTH = 6;
/** The path of the object, without subresource and query. */
const NAMED_OBJECT = /^.*\/x(?=[/?]|$)/;
/**
 * Returns results in the order of the cases. `installed` is called when both servers use all configurations, before the
 * first request of a case. Default: nothing is called.
 */
export async function runCases(
  pair: Pair,
  cases: readonly AdmissionCase[],
  installed?: () => Promise<void>,
): Promise<CaseResult[]> {
  const sides = await Promise.all(
    [pair.reference, pair.candidate].map(async (peer) => ({
      client: createClient(peer),
      recorder: await startRecorder(),
    })),
  );
  try {
    await Promise.all(sides.map((side) => install(side, cases)));
    await installed?.();
    const results: CaseResult[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let i = next++; i < cases.length; i = next++) {
        const one = cases[i] as AdmissionCase;
        results[i] = { case: one, differences: await runCase(sides as [Side, Side], one) };
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, worker));
    return results;
  } finally {
    for (const { client } of sides) client.close();
    await Promise.all(sides.map(({ recorder }) => recorder.stop()));
  }
}

async function runCase(sides: readonly [Side, Side], one: AdmissionCase): Promise<Difference[]> {
  const now = Date.now();
  const variables = new Map([['ns', one.name]]);
  const normalisers = sides.map(({ client, recorder }) =>
    hidingWebhook(createNormaliser(client.peer.url, now), recorder.url),
  ) as [Normaliser, Normaliser];
  const differences: Difference[] = [];
  for (const [i, step] of one.steps.entries()) {
    const written = step.method === 'GET' ? undefined : fill(step.path, variables).match(NAMED_OBJECT)?.[0];
    if (written !== undefined) await Promise.all(sides.map(({ client }) => cacheIsFresh(client, written)));
    const [reference, candidate] = (await Promise.all(sides.map(({ client }) => ask(client, step, variables)))) as [
      Answer,
      Answer,
    ];
    const found = compareAnswers(
      step,
      { answer: reference, normaliser: normalisers[0] },
      { answer: candidate, normaliser: normalisers[1] },
    );
    differences.push(
      ...found.map((difference) => ({ ...difference, where: `step ${i + 1} ${step.method} ${difference.where}` })),
    );
  }
  const [left, right] = sides.map(({ recorder }, i) => reviewsOf(recorder, one, normalisers[i] as Normaliser)) as [
    Json,
    Json,
  ];
  compareValues('reviews', left, right, (where, a, b) => {
    if (a !== b) differences.push({ where, reference: a, candidate: b });
  });
  return differences;
}

/** The addresses of the two webhook servers differ. protobuf writes a no-break space in errors of some builds. */
function hidingWebhook(normaliser: Normaliser, url: string): Normaliser {
  const hide = (text: string): string =>
    text.replaceAll(url, '<webhook>').replaceAll(url.slice('https://'.length), '<webhook>').replaceAll('\u00a0', ' ');
  return {
    ...normaliser,
    text: (text) => normaliser.text(hide(text)),
    value: (value) => normaliser.value(hideIn(value, hide)),
  };
}

function hideIn(value: Json, hide: (text: string) => string): Json {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hide));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideIn(item, hide)]));
}

/**
 * Validating webhooks are called at the same time, so that their reviews are ordered by path. The loops inside the
 * servers write cluster-scoped objects at times of their own: their reviews are left out.
 */
function reviewsOf(recorder: Recorder, { name }: AdmissionCase, normaliser: Normaliser): Json {
  const mutating = recorder.received(`/${name}/mutating/`);
  const validating = [0, 1, 2].flatMap((index) => recorder.received(`/${name}/validating/${index}`));
  const isOfCase = ({ review }: ReceivedReview): boolean =>
    (review as { request: { userInfo: { username: string } } }).request.userInfo.username !== 'system:apiserver';
  return [...mutating, ...validating]
    .filter(isOfCase)
    .map(({ path, review }) => ({ path, review: normaliser.value(review) }));
}
