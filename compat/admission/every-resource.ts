/**
 * Compares the reviews that catch-all webhooks receive from both servers: one request for each verb of each resource
 * and subresource in discovery. Objects are those of compat/kinds.
 *
 * usage: every-resource.ts [--only RESOURCE,...]
 * Fails if a review differs in a way that known.ts does not list, or if a resource has no object.
 */
import { parseArgs } from 'node:util';
import { judge, unlistedIds } from '../common/outcome.ts';
import type { JsonDict } from '../crds/schema.ts';
import { ask, type Client, createClient } from '../diff/client.ts';
import { compareValues, type Difference } from '../diff/compare.ts';
import { createNormaliser, type Json, type Normaliser } from '../diff/normalise.ts';
import { SUBJECTS } from '../kinds/objects.ts';
import { apiVersionOf, nameOf, namespaceOf, type Subject } from '../kinds/subject.ts';
import { onFreshPair, type Pair } from '../peers/pair.ts';
import { cacheIsFresh } from './fresh-cache.ts';
import { mustPost, type Side } from './install.ts';
import { waitUntil } from './install-wait.ts';
import { KNOWN_REVIEWS } from './known.ts';
import { type ReceivedReview, startRecorder } from './recorder.ts';
import { type DiscoveredResource, type ResourceStep, resourceSteps } from './resource-steps.ts';
import { WIDGETS, WIDGETS_NAME } from './widgets.ts';

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();
const KINDS = ['Mutating', 'Validating'] as const;
/** Verbs that reach admission. */
const ADMITTED: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const SHOWN = 8;
const FLAGS = ['--disable-admission-plugins=ServiceAccount', '--allow-privileged=true'];
/** Addresses from the range of Services, which are random. */
const SERVICE_ADDRESS = /\b10\.0\.0\.\d+\b/g;

/** Resources that compat/kinds does not have. */
const OTHERS: readonly Subject[] = [
  {
    group: '',
    version: 'v1',
    plural: 'bindings',
    kind: 'Binding',
    isReview: true,
    needs: [
      {
        path: '/api/v1/namespaces/{ns}/pods',
        object: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    ],
    variants: [{ name: 'p', object: { target: { kind: 'Node', name: 'n' } } }],
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    clusterScoped: true,
    settleMs: 1000,
    variants: [{ name: WIDGETS_NAME, object: { spec: WIDGETS['spec'] as JsonDict } }],
  },
];

const { values } = parseArgs({ options: { only: { type: 'string' } } });

async function getJson(client: Client, path: string): Promise<JsonDict> {
  return JSON.parse((await ask(client, { method: 'GET', path }, NO_VARIABLES)).text) as JsonDict;
}

/** Returns the resources of each group version, `v1` and `apps/v1`. */
async function discover(client: Client): Promise<Map<string, readonly DiscoveredResource[]>> {
  const { groups } = (await getJson(client, '/apis')) as unknown as {
    groups: readonly { versions: readonly { groupVersion: string }[] }[];
  };
  const groupVersions = groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion));
  const found = new Map<string, readonly DiscoveredResource[]>();
  for (const groupVersion of ['v1', ...groupVersions]) {
    const path = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
    const { resources } = (await getJson(client, path)) as unknown as { resources: readonly DiscoveredResource[] };
    found.set(groupVersion, resources);
  }
  return found;
}

/** Installs webhooks that receive everything, and waits until the server calls them. */
async function installCatchAll({ client, recorder }: Side): Promise<void> {
  for (const kind of KINDS)
    await mustPost(client, `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: 'catch-all' },
      webhooks: [
        {
          name: 'catch-all.example.com',
          clientConfig: {
            url: `${recorder.url}/${kind}`,
            caBundle: Buffer.from(recorder.caPem).toString('base64'),
          },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' }],
        },
      ],
    });
  await waitUntil(client.peer.name, async () => {
    const probe = { metadata: { name: 'probe' } };
    await mustPost(client, '/api/v1/namespaces/default/configmaps?dryRun=All', probe);
    return KINDS.filter((kind) => recorder.received(`/${kind}`).length === 0).map((kind) => `${kind} webhooks`);
  });
}

/** Sends the steps to one server and returns each with its code and reviews. */
async function walk({ client, recorder }: Side, subject: Subject, steps: readonly ResourceStep[]): Promise<Json[]> {
  const namespace = namespaceOf(subject);
  const namespaceObject = { metadata: { name: namespace } };
  await ask(client, { method: 'POST', path: '/api/v1/namespaces', body: namespaceObject }, NO_VARIABLES);
  for (const { path, object } of subject.needs ?? [])
    await ask(client, { method: 'POST', path: path.replace('{ns}', namespace), body: object }, NO_VARIABLES);
  const walked: Json[] = [];
  for (const { updates, ...step } of steps) {
    if (step.object !== undefined) await cacheIsFresh(client, step.object);
    const body = updates === undefined ? step.body : await getJson(client, updates);
    const before = recorder.received('/').length;
    const { status } = await ask(client, body === undefined ? step : { ...step, body }, NO_VARIABLES);
    const isOurs = ({ review }: ReceivedReview): boolean =>
      (review as { request: { userInfo: { username: string } } }).request.userInfo.username === 'admin';
    // Placeholders are numbered by step, so that one additional review does not shift those of later steps.
    const normaliser = createNormaliser(client.peer.url, Date.now());
    const reviews = recorder.received('/').slice(before).filter(isOurs);
    walked.push({ status, reviews: reviews.map(({ path, review }) => ({ path, review: shown(normaliser, review) })) });
    if (['POST', 'DELETE'].includes(step.method) && subject.settleMs !== undefined)
      await new Promise((resolve) => setTimeout(resolve, subject.settleMs));
  }
  return walked;
}

function shown(normaliser: Normaliser, review: Json): Json {
  return JSON.parse(JSON.stringify(normaliser.value(review)).replaceAll(SERVICE_ADDRESS, '<address>')) as Json;
}

interface StepResult {
  /** `pods/v1: DELETE /api/v1/…: 200`. */
  readonly name: string;
  readonly reviews: number;
  readonly differences: readonly Difference[];
}

async function compareWalks(pair: Pair): Promise<{ results: StepResult[]; complaints: string[] }> {
  const sides = (await Promise.all(
    [pair.reference, pair.candidate].map(async (peer) => ({
      client: createClient(peer),
      recorder: await startRecorder(),
    })),
  )) as [Side, Side];
  const results: StepResult[] = [];
  const complaints: string[] = [];
  try {
    await Promise.all(sides.map(installCatchAll));
    for (const [groupVersion, resources] of await discover(sides[0].client))
      for (const { name, verbs } of resources) {
        const isAdmitted = !name.includes('/') && verbs.some((verb) => ADMITTED.includes(verb));
        if (!isAdmitted || !(values.only?.split(',').includes(name) ?? true)) continue;
        const isNamed = (one: Subject): boolean => apiVersionOf(one) === groupVersion && one.plural === name;
        const subject = SUBJECTS.find(isNamed) ?? OTHERS.find(isNamed);
        if (subject === undefined) complaints.push(`compat/kinds has no object of ${name} of ${groupVersion}`);
        else results.push(...(await compareResource(sides, subject, resources)));
      }
  } finally {
    for (const { client } of sides) client.close();
    await Promise.all(sides.map(({ recorder }) => recorder.stop()));
  }
  return { results, complaints };
}

/** `resources` are those of the group version. */
async function compareResource(
  sides: readonly [Side, Side],
  subject: Subject,
  resources: readonly DiscoveredResource[],
): Promise<StepResult[]> {
  const verbs = resources.find(({ name }) => name === subject.plural)?.verbs ?? [];
  const subresources = resources.filter(({ name }) => name.startsWith(`${subject.plural}/`));
  const steps = resourceSteps(subject, verbs, subresources);
  const [left, right] = (await Promise.all(sides.map((side) => walk(side, subject, steps)))) as [Json[], Json[]];
  return steps.map(({ method, path }, i) => {
    const { status, reviews } = left[i] as { status: number; reviews: Json[] };
    const name = `${nameOf(subject)}: ${method} ${path}: ${status}`;
    const differences: Difference[] = [];
    compareValues(nameOf(subject), left[i], right[i], (where, a, b) => {
      if (a !== b) differences.push({ where: `${where} (${method})`, reference: a, candidate: b });
    });
    return { name, reviews: reviews.length, differences };
  });
}

const started = performance.now();
const { results, complaints } = await onFreshPair('keelson', FLAGS, compareWalks);
const { judged, outcome } = judge(results, KNOWN_REVIEWS, (entry, result: StepResult, difference: Difference) =>
  entry.matches(difference, result.name),
);
complaints.push(...unlistedIds(KNOWN_REVIEWS));
if (values.only === undefined)
  complaints.push(...outcome.stale.map((id) => `the known difference "${id}" no longer occurs`));
for (const { result, unknown } of judged)
  if (unknown.length > 0) {
    const lines = unknown.slice(0, SHOWN).map((one) => `    ${one.where}: ${one.reference} → ${one.candidate}`);
    complaints.push([`${result.name}`, ...lines].join('\n'));
  }
const silent = results.filter(({ reviews, differences }) => reviews === 0 && differences.length === 0);
if (values.only !== undefined) for (const { name } of silent) console.log(`no review: ${name}`);
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
const reviews = results.reduce((sum, one) => sum + one.reviews, 0);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  `${outcome.agreed} of ${outcome.total} requests agree in ${reviews} reviews (${silent.length} have none), ` +
    `${outcome.known} differ in known ways, ${outcome.unknown} otherwise; ${seconds} s`,
);
process.exitCode = complaints.length === 0 ? 0 : 1;
