/** The run of cases on two servers: all webhooks of a batch are installed first, because the reference reads them late. */
import { type Answer, ask, type Client, createClient } from '../diff/client.ts';
import { compareAnswers, compareValues, type Difference } from '../diff/compare.ts';
import { createNormaliser, type Json, type Normaliser } from '../diff/normalise.ts';
import type { Pair } from '../peers/pair.ts';
import { type AdmissionCase, configurationOf, type HookKind, pathOf } from './admission-case.ts';
import { applying } from './generate-mutating.ts';
import { policyObjects } from './policy-terms.ts';
import { type Recorder, startRecorder } from './recorder.ts';

export interface CaseResult {
  readonly case: AdmissionCase;
  /** `step 1 status`, `review 2 body.request.name`. */
  readonly differences: readonly Difference[];
}

const KINDS: readonly HookKind[] = ['mutating', 'validating'];
const WIDTH = 6;
const NO_VARIABLES: ReadonlyMap<string, string> = new Map();
/**
 * The limit of 120 s for the reference. It reads a new configuration within about a second, the paths of the schemas
 * every 5 s and the kinds of its REST mapper every 30 s; on a loaded machine each of them may miss a round.
 */
const INSTALL_TRIES = 1200;
const INSTALL_MS = 100;

interface Side {
  readonly client: Client;
  readonly recorder: Recorder;
}

/** Returns results in the order of the cases. */
export async function runCases(pair: Pair, cases: readonly AdmissionCase[]): Promise<CaseResult[]> {
  const sides = await Promise.all(
    [pair.reference, pair.candidate].map(async (peer) => ({
      client: createClient(peer),
      recorder: await startRecorder(),
    })),
  );
  try {
    await Promise.all(sides.map((side) => install(side, cases)));
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

async function must(client: Client, method: string, path: string, body: unknown): Promise<void> {
  const answer = await ask(client, { method, path, body: body as Record<string, unknown> }, NO_VARIABLES);
  if (answer.status > 299) throw new Error(`${client.peer.name}: ${method} ${path}: ${answer.status} ${answer.text}`);
}

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                size: { type: 'integer' },
                color: { type: 'string', default: 'red' },
                tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                steps: { type: 'array', items: { type: 'string' } },
                parts: {
                  type: 'array',
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['name'],
                  items: {
                    type: 'object',
                    required: ['name'],
                    properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
                  },
                },
                limits: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
                whole: {
                  type: 'object',
                  'x-kubernetes-map-type': 'atomic',
                  properties: { a: { type: 'string' }, b: { type: 'string' } },
                },
                free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
            status: { type: 'object', properties: { observedGeneration: { type: 'integer' } } },
          },
        },
      },
    })),
  },
};

const WIDGETS_PATH = '/apis/example.com/v1/namespaces/zz-probe/widgets?dryRun=All';

/** Installs the webhooks and policies of all cases and waits until the last ones of each kind are used. */
async function install({ client, recorder }: Side, cases: readonly AdmissionCase[]): Promise<void> {
  await must(client, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS);
  const probe: AdmissionCase = {
    name: 'zz-probe',
    objects: [
      ...policyObjects('Validating', 'zz-probe', {
        policy: { validations: [{ expression: "object.metadata.name != 'denied'" }] },
      }),
      ...policyObjects('Mutating', 'zz-probe', {
        policy: {
          reinvocationPolicy: 'Never',
          mutations: [applying('Object{metadata: Object.metadata{labels: {"probe": "yes"}}}')],
        },
      }),
    ],
    mutating: [{ behaviour: { kind: 'response', response: { allowed: true } } }],
    validating: [{ behaviour: { kind: 'response', response: { allowed: true } } }],
    steps: [],
  };
  for (const one of [...cases, probe]) {
    await must(client, 'POST', '/api/v1/namespaces', { metadata: { name: one.name } });
    for (const { path, object } of one.objects) await must(client, 'POST', path, object);
    for (const kind of KINDS) {
      const configuration = configurationOf(one, kind, recorder.url, recorder.caPem);
      if (configuration === undefined) continue;
      for (const [index, { behaviour }] of one[kind].entries()) recorder.set(pathOf(one.name, kind, index), behaviour);
      await must(client, 'POST', `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`, configuration);
    }
  }
  const path = '/api/v1/namespaces/zz-probe/configmaps?dryRun=All';
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'probe' } };
  let unused: readonly string[] = [];
  for (let i = 0; i < INSTALL_TRIES; i++) {
    await ask(client, { method: 'POST', path, body: { metadata: { name: 'probe' } } }, NO_VARIABLES);
    const denied = await ask(client, { method: 'POST', path, body: { metadata: { name: 'denied' } } }, NO_VARIABLES);
    const mutated = await ask(client, { method: 'POST', path: WIDGETS_PATH, body: widget }, NO_VARIABLES);
    unused = [
      ...(denied.status === 422 ? [] : [`the validating policy (${denied.status})`]),
      ...(mutated.text.includes('"probe":"yes"') ? [] : [`the mutating policy (${mutated.status})`]),
      ...KINDS.filter((kind) => recorder.received(`/zz-probe/${kind}/`).length === 0).map((kind) => `${kind} webhooks`),
    ];
    if (unused.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, INSTALL_MS));
  }
  throw new Error(`${client.peer.name} does not use: ${unused.join(', ')}`);
}

async function runCase(sides: readonly [Side, Side], one: AdmissionCase): Promise<Difference[]> {
  const now = Date.now();
  const variables = new Map([['ns', one.name]]);
  const normalisers = sides.map(({ client, recorder }) =>
    hidingWebhook(createNormaliser(client.peer.url, now), recorder.url),
  ) as [Normaliser, Normaliser];
  const differences: Difference[] = [];
  for (const [i, step] of one.steps.entries()) {
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

/** Validating webhooks are called at the same time, so that their reviews are ordered by path. */
function reviewsOf(recorder: Recorder, { name }: AdmissionCase, normaliser: Normaliser): Json {
  const mutating = recorder.received(`/${name}/mutating/`);
  const validating = [0, 1, 2].flatMap((index) => recorder.received(`/${name}/validating/${index}`));
  return [...mutating, ...validating].map(({ path, review }) => ({ path, review: normaliser.value(review) }));
}
