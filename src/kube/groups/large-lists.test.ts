/** Validation and defaulting take linear time: a list in a request body may have a hundred thousand items. */
import { describe, expect, test, vi } from 'vitest';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { NodePortOperation } from '../allocators/node-port-allocator.ts';
import { validateStorageVersionStatus } from './apiserverinternal/storage-version.ts';
import { validateRequest } from './certificates/validate-signing-request.ts';
import { podValidationOptions } from './core/pod/spec/make-pod-validation-options.ts';
import { validateLabelKeys, validateSpreadConstraints } from './core/pod/spec/validate-topology.ts';
import { validatePodStatusUpdate } from './core/pod/validate-pod-status.ts';
import { validatePodUpdate } from './core/pod/validate-pod-update.ts';
import { validateResourceQuota } from './core/resource-quota.ts';
import { validateServiceUpdate } from './core/service/validate-service.ts';
import { validateBindingConditions } from './resource/validate-binding-conditions.ts';

const PATH = FieldPath.of('spec');

/** The number of reads that `judge` makes in the object, plus the lengths of the lists that it searches. */
function workOf(object: JsonObject, judge: (object: JsonObject) => unknown): number {
  let work = 0;
  const wrap = <T>(inner: T): T =>
    typeof inner !== 'object' || inner === null
      ? inner
      : (new Proxy(inner, {
          get: (target, name, receiver) => {
            work++;
            return wrap(Reflect.get(target, name, receiver) as unknown);
          },
        }) as T);
  for (const search of ['includes', 'indexOf', 'lastIndexOf'] as const) {
    const original = Array.prototype[search] as (this: unknown[], item: unknown) => never;
    vi.spyOn(Array.prototype, search).mockImplementation(function (this: unknown[], item: unknown) {
      work += this.length;
      return original.call(this, item);
    });
  }
  try {
    judge(wrap(object));
  } finally {
    vi.restoreAllMocks();
  }
  return work;
}

function many(n: number, item: (i: number) => JsonValue): JsonValue[] {
  return Array.from({ length: n }, (_, i) => item(i));
}

function pod(spec: JsonObject, status: JsonObject = {}): JsonObject {
  return { metadata: { name: 'a', namespace: 'b' }, spec, status };
}

const ended = (name: string): JsonObject => ({ name, state: { terminated: { exitCode: 0 } } });

const CASES: Readonly<
  Record<string, { readonly object: (n: number) => JsonObject; readonly judge: (object: JsonObject) => unknown }>
> = {
  'spread constraints': {
    object: (n) => ({ topologySpreadConstraints: many(n, (i) => ({ maxSkew: 1, topologyKey: `z${i}` })) }),
    judge: (spec) =>
      validateSpreadConstraints(
        spec,
        podValidationOptions({}, { isPod: true, allowPrivileged: true, old: undefined }),
        PATH,
        [],
      ),
  },
  'label keys': {
    object: (n) => ({
      matchLabelKeys: many(n, (i) => `a${i}`),
      mismatchLabelKeys: many(n, (i) => `b${i}`),
      labelSelector: { matchExpressions: many(n, (i) => ({ key: `c${i}`, operator: 'Exists' })) },
    }),
    judge: (term) => validateLabelKeys(term, PATH),
  },
  'binding conditions': {
    object: (n) => ({
      bindingConditions: many(n, (i) => `a${i}`),
      bindingFailureConditions: many(n, (i) => `b${i}`),
    }),
    judge: (device) => validateBindingConditions(device, PATH),
  },
  usages: {
    object: (n) => ({ metadata: { name: 'a' }, spec: { usages: many(n, (i) => `u${i}`) } }),
    judge: (request) => validateRequest(request, undefined),
  },
  'tolerations of an update': {
    object: (n) => ({
      old: pod({ tolerations: many(n, (i) => ({ key: `k${i}`, operator: 'Exists' })) }),
      now: pod({ tolerations: many(n, (i) => ({ key: `k${n - i - 1}`, operator: 'Exists' })) }),
    }),
    judge: ({ old, now }) => validatePodUpdate(now as JsonObject, old as JsonObject),
  },
  'containers that have ended': {
    object: (n) => ({
      old: pod(
        { containers: many(n, (i) => ({ name: `c${i}` })) },
        { containerStatuses: many(n, (i) => ended(`c${i}`)) },
      ),
      now: pod({}, { containerStatuses: many(n, (i) => ({ name: `c${i}` })) }),
    }),
    judge: ({ old, now }) => validatePodStatusUpdate(now as JsonObject, old as JsonObject),
  },
  'addresses that were accepted': {
    object: (n) => ({
      old: { spec: { externalIPs: many(n, (i) => `a${i}`) } },
      now: { spec: { externalIPs: many(n, (i) => `b${i}`) } },
    }),
    judge: ({ old, now }) => validateServiceUpdate(now as JsonObject, old as JsonObject),
  },
  'versions of servers': {
    object: (n) => ({
      status: {
        storageVersions: [
          { apiServerID: 'a', decodableVersions: many(n, (i) => `v${i}`), servedVersions: many(n, (i) => `w${i}`) },
        ],
      },
    }),
    judge: validateStorageVersionStatus,
  },
};

describe('validation takes linear time', () => {
  test.each(Object.entries(CASES))('%s', (_name, { object, judge }) => {
    const work = (n: number): number => workOf(object(n), judge);
    expect(work(400)).toBeLessThan(work(100) * 5);
  });

  test('the number of issues about scopes of a quota is bounded, and issues share their value', () => {
    const hard = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`hugepages-${i + 1}Ki`, '1']));
    const issues = validateResourceQuota({
      metadata: { name: 'a', namespace: 'b' },
      spec: { hard, scopes: many(1_000, () => 'BestEffort') },
    });
    expect(issues.length).toBeGreaterThan(10_000);
    expect(issues.length).toBeLessThan(20_000);
    expect(new Set(issues.map(({ value }) => value)).size).toBe(1);
  });

  test('a dry run allocates distinct node ports even for very many ports', () => {
    const never = (): never => {
      throw new Error('nothing is taken in a dry run');
    };
    const operation = new NodePortOperation(
      {
        range: { first: 30000, size: 10 },
        isAllocated: () => false,
        claim: never,
        claimNext: never,
        drop: never,
        keep: never,
      },
      true,
    );
    let last: unknown;
    for (let i = 0; i < 200_000; i++) last = operation.allocateNext();
    expect(last).toBe(232_768);
    expect(operation.allocate(40_000)).toBe('provided port is already allocated');
  });
});
