/**
 * Compares the metrics of admission of both servers after the same requests: names, labels and counts. The requests are
 * generated cases and connections.
 *
 * usage: metrics.ts [--cases N] [--seed N]
 *   --cases   cases of each kind: webhooks, validating policies, mutating policies. Default 60
 * Fails on a difference that this file does not list.
 */
import { parseArgs } from 'node:util';
import { ask, type Client, createClient } from '../diff/client.ts';
import type { Step } from '../diff/request.ts';
import { onFreshPair } from '../peers/pair.ts';
import type { AdmissionCase } from './admission-case.ts';
import { generateMutatingCase } from './generate-mutating.ts';
import { generatePolicyCase } from './generate-policies.ts';
import { generateWebhookCase } from './generate-webhooks.ts';
import { policyObjects } from './policy-terms.ts';
import { runCases } from './run.ts';

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();
const { values } = parseArgs({
  options: { cases: { type: 'string', default: '60' }, seed: { type: 'string', default: '9001' } },
});

/** Series of admission. Buckets and sums depend on time. */
const SERIES = /^(apiserver_(?:admission|validating_admission_policy|mutating_admission_policy)_\w+)(\{.*\})? (\S+)$/;
const TIMED = /_(?:bucket|sum)$|quantile=/;

/** The values of the series with the text of their name and labels, sorted. */
type Series = ReadonlyMap<string, number>;

async function scrape(client: Client): Promise<Series> {
  const { text } = await ask(client, { method: 'GET', path: '/metrics' }, NO_VARIABLES);
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', value] = SERIES.exec(line) ?? [];
    if (name === '' || TIMED.test(name) || TIMED.test(labels)) continue;
    const sorted = labels.slice(1, -1).match(/\w+="(?:[^"\\]|\\.)*"/g) ?? [];
    found.set(`${name}{${sorted.sort().join(',')}}`, Number(value));
  }
  return found;
}

function increase(before: Series, after: Series): Series {
  const increased = [...after].map(([key, value]) => [key, value - (before.get(key) ?? 0)] as const);
  return new Map(increased.filter(([, value]) => value !== 0));
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const pods = '/api/v1/namespaces/{{ns}}/pods';
const CONNECTIONS: readonly Step[] = [
  { method: 'POST', path: pods, body: pod },
  { method: 'GET', path: `${pods}/x/exec?command=ls` },
  { method: 'POST', path: `${pods}/x/attach?stdout=true` },
  { method: 'POST', path: `${pods}/x/portforward?ports=80` },
  { method: 'GET', path: `${pods}/x/proxy/path` },
];

/** A case whose webhooks and policy are about CONNECT; the policy refuses attach. */
function connectCase(): AdmissionCase {
  const rule = { operations: ['CONNECT'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
  const name = 'connections';
  return {
    name,
    objects: policyObjects('Validating', name, {
      policy: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: "request.subResource != 'attach'", message: 'no attach' }],
      },
    }),
    mutating: [{ behaviour: { kind: 'response', response: { allowed: true } }, fields: { rules: [rule] } }],
    validating: [
      {
        behaviour: { kind: 'response', response: { allowed: false, status: { message: 'no' } } },
        fields: {
          rules: [rule],
          matchConditions: [{ name: 'forwards', expression: "request.subResource == 'portforward'" }],
        },
      },
    ],
    steps: CONNECTIONS,
  };
}

const CONTROLLER = 'apiserver_admission_controller_';
/** Plugins that both servers run for every resource. */
const COMMON_PLUGINS = /name="(?:Validating|Mutating)Admission(?:Webhook|Policy)"/;

/**
 * Whether a series is the same in both. Those of plugins also count the writes of the loops inside the servers: the
 * counts are compared for connections, which no loop makes. docs/compatibility.md has the other differences under
 * "Metrics of admission".
 */
function agree(key: string, reference: number | undefined, candidate: number | undefined): boolean {
  if (key.startsWith('apiserver_admission_step_')) return candidate === undefined;
  if (!key.startsWith(CONTROLLER)) return reference === candidate;
  if (!COMMON_PLUGINS.test(key)) return reference !== undefined || candidate === undefined;
  if (key.includes('operation="CONNECT"')) return reference === candidate;
  return (reference === undefined) === (candidate === undefined);
}

const from = Number(values.seed);
const seeds = Array.from({ length: Number(values.cases) }, (_, i) => from + i);
const cases = [generateWebhookCase, generatePolicyCase, generateMutatingCase].flatMap((generate) =>
  seeds.map(generate),
);
const lines: string[] = [];
const compared = await onFreshPair('keelson', ['--disable-admission-plugins=ServiceAccount'], async (pair) => {
  const clients = [pair.reference, pair.candidate].map((peer) => createClient(peer));
  let before: Series[] = [];
  const results = await runCases(pair, [...cases, connectCase()], async () => {
    before = await Promise.all(clients.map(scrape));
  });
  for (const { case: one, differences } of results)
    for (const { where, reference, candidate } of differences.slice(0, 2))
      lines.push(`${one.name}: ${where}: ${reference} → ${candidate}`);
  const after = await Promise.all(clients.map(scrape));
  const [left, right] = after.map((series, i) => increase(before[i] as Series, series)) as [Series, Series];
  for (const client of clients) client.close();
  const keys = [...new Set([...left.keys(), ...right.keys()])].sort();
  for (const key of keys)
    if (!agree(key, left.get(key), right.get(key)))
      lines.push(`${key}: ${left.get(key) ?? 'absent'} → ${right.get(key) ?? 'absent'}`);
  return keys.length;
});
for (const line of lines) console.log(`FAIL ${line}`);
console.log(`metrics of admission: ${compared} series, ${lines.length} differences`);
process.exitCode = lines.length === 0 ? 0 : 1;
