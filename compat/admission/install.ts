/** The installation of the webhooks and policies of a batch on one server, and the wait until the server uses them. */
import { type Answer, ask, type Client } from '../diff/client.ts';
import { type AdmissionCase, configurationOf, type HookKind, pathOf } from './admission-case.ts';
import { applying } from './generate-mutating.ts';
import { waitUntil } from './install-wait.ts';
import { policyObjects } from './policy-terms.ts';
import type { Recorder } from './recorder.ts';
import { WIDGETS, widgetsServed } from './widgets.ts';

/** A server and its webhook server. */
export interface Side {
  readonly client: Client;
  readonly recorder: Recorder;
}

const KINDS: readonly HookKind[] = ['mutating', 'validating'];
const NO_VARIABLES: ReadonlyMap<string, string> = new Map();
const PROBE = 'zz-probe';

/** The configurations of the probe are the last ones, so that a server that uses them uses all others too. */
const PROBE_CASE: AdmissionCase = {
  name: PROBE,
  objects: [
    ...policyObjects('Validating', PROBE, {
      policy: { validations: [{ expression: "object.metadata.name != 'denied'" }] },
    }),
    ...policyObjects('Mutating', PROBE, {
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

/** Sends a POST. Throws unless it succeeds. */
export async function mustPost(client: Client, path: string, body: unknown): Promise<Answer> {
  const answer = await ask(client, { method: 'POST', path, body: body as Record<string, unknown> }, NO_VARIABLES);
  if (answer.status < 200 || answer.status > 299)
    throw new Error(`${client.peer.name}: POST ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

/** Installs the webhooks and policies of all cases. Throws an InstallError if the server does not use them in time. */
export async function install({ client, recorder }: Side, cases: readonly AdmissionCase[]): Promise<void> {
  await mustPost(client, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS);
  await widgetsServed(client);
  for (const one of [...cases, PROBE_CASE]) {
    await mustPost(client, '/api/v1/namespaces', { metadata: { name: one.name } });
    for (const { path, object } of one.objects) await mustPost(client, path, object);
    for (const kind of KINDS) {
      const configuration = configurationOf(one, kind, recorder.url, recorder.caPem);
      if (configuration === undefined) continue;
      for (const [index, { behaviour }] of one[kind].entries()) recorder.set(pathOf(one.name, kind, index), behaviour);
      await mustPost(client, `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`, configuration);
    }
  }
  await waitUntil(client.peer.name, () => unusedConfigurations(client, recorder));
}

/** Sends the requests of the probe and returns the kinds of configurations that they did not meet. */
async function unusedConfigurations(client: Client, recorder: Recorder): Promise<readonly string[]> {
  const create = (path: string, body: Readonly<Record<string, unknown>>): Promise<Answer> =>
    ask(client, { method: 'POST', path: `${path}?dryRun=All`, body }, NO_VARIABLES);
  const configMaps = `/api/v1/namespaces/${PROBE}/configmaps`;
  const unused: string[] = [];
  await create(configMaps, { metadata: { name: 'probe' } });
  const denied = await create(configMaps, { metadata: { name: 'denied' } });
  if (denied.status !== 422) unused.push(`the validating policy (${denied.status})`);
  for (const version of ['v1', 'v2']) {
    const widget = { apiVersion: `example.com/${version}`, kind: 'Widget', metadata: { name: 'probe' } };
    const mutated = await create(`/apis/example.com/${version}/namespaces/${PROBE}/widgets`, widget);
    if (!mutated.text.includes('"probe":"yes"'))
      unused.push(`the mutating policy for widgets of ${version} (${mutated.status})`);
  }
  for (const kind of KINDS) if (recorder.received(`/${PROBE}/${kind}/`).length === 0) unused.push(`${kind} webhooks`);
  return unused;
}
