import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { causesOf, startTestKube, type TestKube } from '../../kube-server.fixtures.ts';
import { at, type Created, createObject, JOB_TEMPLATE, SELECTOR, TEMPLATE } from '../workloads.fixtures.ts';

const NAMESPACE = '/apis/batch/v1/namespaces/default';
const JOBS = `${NAMESPACE}/jobs`;
const CRON_JOBS = `${NAMESPACE}/cronjobs`;

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

function create(collection: string, spec: JsonObject, metadata?: JsonObject): Promise<Created> {
  return createObject(kube, collection, spec, metadata);
}

function patch(path: string, body: JsonObject): ReturnType<TestKube['request']> {
  return kube.request('PATCH', path, body);
}

describe('Job', () => {
  test('has a generated selector for pods with its uid', async () => {
    const { body, name } = await create(JOBS, { template: JOB_TEMPLATE });
    const uid = at(body, 'metadata', 'uid') as string;
    const labels = {
      a: 'b',
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    };
    expect(at(body, 'spec', 'selector')).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
    expect(at(body, 'spec', 'template', 'metadata', 'labels')).toEqual(labels);
    expect(at(body, 'metadata', 'labels')).toEqual(labels);
  });

  test('keeps the labels that the client sent', async () => {
    const { body } = await create(JOBS, { template: JOB_TEMPLATE }, { labels: { x: 'y' } });
    expect(at(body, 'metadata', 'labels')).toEqual({ x: 'y' });
  });

  test('accepts a manual selector that matches the template', async () => {
    const spec = { manualSelector: true, selector: SELECTOR, template: JOB_TEMPLATE };
    const { body } = await create(JOBS, spec);
    expect(at(body, 'spec', 'selector')).toEqual(SELECTOR);
    expect(causesOf(await create(JOBS, { ...spec, selector: { matchLabels: { a: 'c' } } }))).toEqual([
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ]);
  });

  test.each<[string, JsonObject, string[]]>([
    [
      'has the restartPolicy Always',
      { template: TEMPLATE },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'has a backoffLimitPerIndex without Indexed completion mode',
      { template: JOB_TEMPLATE, backoffLimitPerIndex: 1 },
      ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    ],
    [
      'has a pod failure policy rule without a requirement',
      { template: JOB_TEMPLATE, podFailurePolicy: { rules: [{ action: 'X' }] } },
      [
        'spec.podFailurePolicy.rules[0].action: Unsupported value: "X": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
        'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      ],
    ],
    [
      'has a success policy with indexes beyond its completions',
      {
        template: JOB_TEMPLATE,
        completionMode: 'Indexed',
        completions: 3,
        successPolicy: { rules: [{ succeededIndexes: '1-5' }] },
      },
      [
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "1-5": error parsing succeededIndexes: too large index: "5"',
      ],
    ],
  ])('is invalid if it %s', async (_what, spec, expected) => {
    expect(causesOf(await create(JOBS, spec))).toEqual(expected);
  });

  test('may change completions together with parallelism if it is Indexed, and not otherwise', async () => {
    const indexed = await create(JOBS, {
      template: JOB_TEMPLATE,
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
    });
    expect((await patch(indexed.path, { spec: { completions: 4, parallelism: 4 } })).status).toBe(200);
    expect(causesOf(await patch(indexed.path, { spec: { completions: 5 } }))).toEqual([
      'spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism',
    ]);
    const plain = await create(JOBS, { template: JOB_TEMPLATE });
    expect(causesOf(await patch(plain.path, { spec: { completions: 5 } }))).toEqual([
      'spec.completions: Invalid value: 5: field is immutable',
    ]);
  });

  test('has an immutable template, except scheduling directives while it is suspended', async () => {
    const move = { spec: { template: { spec: { nodeSelector: { x: 'y' } } } } };
    const running = await create(JOBS, { template: JOB_TEMPLATE });
    expect(causesOf(await patch(running.path, move)).join()).toMatch(/^spec\.template: Invalid value: .*immutable$/);
    const suspended = await create(JOBS, { template: JOB_TEMPLATE, suspend: true });
    expect((await patch(suspended.path, move)).status).toBe(200);
    const slower = { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } };
    expect(causesOf(await patch(suspended.path, slower)).join()).toMatch(/^spec\.template\.spec: .*immutable$/);
    await patch(`${suspended.path}/status`, { status: { active: 1 } });
    expect((await patch(suspended.path, { spec: { template: { spec: { nodeSelector: null } } } })).status).toBe(422);
  });

  test('has terminal conditions that need times and no active pods, and cannot be removed', async () => {
    const { path } = await create(JOBS, { template: JOB_TEMPLATE });
    const to = (status: JsonObject): ReturnType<typeof patch> => patch(`${path}/status`, { status });
    const startTime = '2020-01-01T00:00:00Z';
    const is = (...types: readonly string[]): JsonObject[] => types.map((type) => ({ type, status: 'True' }));
    expect(causesOf(await to({ conditions: is('Complete') }))).toEqual([
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ]);
    expect((await to({ startTime, active: 1, failed: 2 })).status).toBe(200);
    expect(causesOf(await to({ failed: 1, ready: 2 }))).toEqual([
      'status.ready: Invalid value: 2: cannot set more ready pods than active',
      'status.failed: Invalid value: 1: cannot decrease the failed counter',
    ]);
    const end = { conditions: is('SuccessCriteriaMet', 'Complete'), completionTime: '2020-01-01T01:00:00Z', active: 0 };
    expect((await to(end)).status).toBe(200);
    expect(causesOf(await to({ conditions: [] }))).toEqual([
      'status.completionTime: Invalid value: "2020-01-01T01:00:00Z": cannot set completionTime when there is no Complete=True condition',
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
      'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
    ]);
  });

  test('orphans its pods by default when it is deleted, with a warning', async () => {
    const { path } = await create(JOBS, { template: JOB_TEMPLATE });
    const { warnings, body } = await kube.request('DELETE', path);
    expect(warnings.join()).toContain('child pods are preserved by default when jobs are deleted');
    expect(at(body, 'metadata', 'finalizers')).toEqual(['orphan']);
    const other = await create(JOBS, { template: JOB_TEMPLATE });
    expect((await kube.request('DELETE', `${other.path}?propagationPolicy=Background`)).warnings).toEqual([]);
  });
});

describe('CronJob', () => {
  const spec = { schedule: '@hourly', jobTemplate: { spec: { template: JOB_TEMPLATE } } };

  test('sets only the pod defaults in its job template', async () => {
    const { body } = await create(CRON_JOBS, spec);
    expect(Object.keys(at(body, 'spec', 'jobTemplate', 'spec') as JsonObject)).toEqual(['template']);
    expect(body['spec']).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
  });

  test.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'has a malformed schedule',
      { schedule: 'x * * * *' },
      {},
      [
        'spec.schedule: Invalid value: "x * * * *": failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
      ],
    ],
    [
      'has a time zone in its schedule',
      { schedule: 'TZ=UTC * * * * *' },
      {},
      [
        'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      'has the time zone Local',
      { timeZone: 'Local' },
      {},
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      'has a name that is too long',
      {},
      { name: 'x'.repeat(53) },
      [`metadata.name: Invalid value: "${'x'.repeat(53)}": must be no more than 52 characters`],
    ],
  ])('is invalid if it %s', async (_what, changes, metadata, expected) => {
    expect(causesOf(await create(CRON_JOBS, { ...spec, ...changes }, metadata))).toEqual(expected);
  });
});
