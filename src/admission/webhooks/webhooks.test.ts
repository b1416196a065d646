import { describe, expect, it } from 'vitest';
import { isStatusError, type Status } from '../../apimachinery/status/status.ts';
import { TransportError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { attributesFor, plainVersion, type TestAttributes } from '../attributes.fixtures.ts';
import { createAdmission } from '../plugin-chain.ts';
import { mutatingAdmissionWebhook } from './mutating-webhooks.ts';
import { validatingAdmissionWebhook } from './validating-webhooks.ts';
import { configuration, patching, type Responses, testWebhooks } from './webhooks.fixtures.ts';

const ALLOW = (): JsonObject => ({ allowed: true });

function pod(more: Partial<AdmissionAttributes> = {}): TestAttributes {
  const states = new Map<object, unknown>();
  return attributesFor(
    'CREATE',
    'pods',
    { metadata: { name: 'p', labels: { app: 'a' } } },
    {
      state: (key, create) => {
        if (!states.has(key)) states.set(key, create());
        return states.get(key) as ReturnType<typeof create>;
      },
      ...more,
    },
  );
}

/** Runs both halves. Returns the Status of a refusal; undefined if the request is admitted. */
async function admit(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
): Promise<Status | undefined> {
  const chain = createAdmission(plugins, {
    disable: ['NamespaceLifecycle'],
  });
  try {
    await chain.admit(attributes);
    await chain.validate(attributes);
    return undefined;
  } catch (caught) {
    if (!isStatusError(caught)) throw caught;
    return caught.status;
  }
}

describe('ValidatingAdmissionWebhook', () => {
  const validating = (responses: Responses): ReturnType<typeof testWebhooks> & { plugin: AdmissionPlugin } => {
    const hooks = testWebhooks(responses);
    return { ...hooks, plugin: validatingAdmissionWebhook(hooks.options) };
  };

  it('makes no promise where no webhook matches', () => {
    const { plugin, configure } = validating({});
    expect(plugin.validate?.(pod())).toBeUndefined();
    configure(configuration('c', ['/a'], { rules: [] }));
    expect(plugin.validate?.(pod())).toBeUndefined();
  });

  it('sends the review of the request', async () => {
    const { plugin, configure, received } = validating({ '/a': ALLOW });
    configure(configuration('c', ['/a']));
    expect(await admit([plugin], pod({ dryRun: true, options: { kind: 'CreateOptions' } }))).toBeUndefined();
    expect(received).toEqual([
      {
        path: '/a',
        url: 'https://hooks.example.com/a?timeout=10s',
        request: {
          uid: 'uid-1',
          kind: { group: '', version: 'v1', kind: '' },
          resource: { group: '', version: 'v1', resource: 'pods' },
          requestKind: { group: '', version: 'v1', kind: '' },
          requestResource: { group: '', version: 'v1', resource: 'pods' },
          name: 'p',
          namespace: 'ns',
          operation: 'CREATE',
          userInfo: { username: 'someone' },
          object: { metadata: { name: 'p', labels: { app: 'a' } } },
          oldObject: null,
          dryRun: true,
          options: { kind: 'CreateOptions' },
        },
      },
    ]);
  });

  it.each<[string, JsonObject, Partial<Status>]>([
    ['a message', { status: { message: 'no' } }, { code: 400, message: ': no' }],
    [
      'a reason',
      { status: { reason: 'Forbidden', code: 403 } },
      { code: 403, reason: 'Forbidden', message: ': Forbidden' },
    ],
    ['nothing', {}, { code: 400, message: ' without explanation' }],
    ['a code below 400', { status: { code: 200, message: 'no' } }, { code: 400, message: ': no' }],
    [
      'details',
      { status: { message: 'no', details: { causes: [{ field: 'f' }] } } },
      { message: ': no', details: { causes: [{ field: 'f' }] } },
    ],
  ])('refuses with %s', async (_title, response, expected) => {
    const { plugin, configure } = validating({ '/a': () => ({ allowed: false, ...response }) });
    configure(configuration('c', ['/a']));
    const message = `admission webhook "a.example.com" denied the request${expected.message}`;
    expect(await admit([plugin], pod())).toMatchObject({ ...expected, message, status: 'Failure' });
  });

  it('calls all webhooks, and answers with the first refusal to arrive', async () => {
    const { plugin, configure, received } = validating({
      '/a': ALLOW,
      '/b': () => ({ allowed: false, status: { message: 'b' } }),
      '/c': () => ({ allowed: false, status: { message: 'c' } }),
    });
    configure(configuration('c', ['/a', '/b', '/c']));
    expect((await admit([plugin], pod()))?.message).toContain('b.example.com');
    expect(received).toHaveLength(3);
  });

  it('passes warnings and annotations on', async () => {
    const { plugin, configure } = validating({
      '/a': () => ({ allowed: true, warnings: ['careful'], auditAnnotations: { k: 'v' } }),
    });
    configure(configuration('c', ['/a']));
    const attributes = pod();
    await admit([plugin], attributes);
    expect(attributes.warnings).toEqual(['careful']);
    expect(attributes.annotations).toEqual({ 'a.example.com/k': 'v' });
  });

  const FAILURES: [string, () => JsonObject | Error, string][] = [
    [
      'a failed connection',
      () => new TransportError('Post "u": dial tcp: refused'),
      'failed to call webhook: Post "u": dial tcp: refused',
    ],
    [
      'another uid',
      () => ({ uid: 'x', allowed: true }),
      'received invalid webhook response: expected response.uid="uid-1", got "x"',
    ],
    [
      'a patch',
      () => patching({ op: 'remove', path: '/x' }),
      'received invalid webhook response: validating webhook may not return response.patch',
    ],
  ];
  it.each(FAILURES)('refuses for %s, unless failures are ignored', async (_title, response, reason) => {
    const { plugin, configure } = validating({ '/a': response });
    configure(configuration('c', ['/a']));
    expect(await admit([plugin], pod())).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: failed calling webhook "a.example.com": ${reason}`,
    });
    configure(configuration('c', ['/a'], { failurePolicy: 'Ignore' }));
    const attributes = pod();
    const open = 'failed-open.validating.webhook.admission.k8s.io/round_0_index_0';
    expect(await admit([plugin], attributes)).toBeUndefined();
    expect(attributes.annotations).toEqual({ [open]: 'a.example.com' });
  });

  it('refuses dry runs of a webhook with side effects', async () => {
    const { plugin, configure, received } = validating({ '/a': ALLOW });
    configure(configuration('c', ['/a'], { sideEffects: 'Some' }));
    expect(await admit([plugin], pod({ dryRun: true }))).toMatchObject({
      code: 400,
      message: 'admission webhook "a.example.com" does not support dry run',
    });
    expect(received).toEqual([]);
  });

  it('does not call webhooks for the configuration of admission', async () => {
    const { plugin, configure, received } = validating({});
    configure(configuration('c', ['/a']));
    const kind = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingAdmissionPolicy' };
    expect(await admit([plugin], pod({ kind }))).toBeUndefined();
    expect(received).toEqual([]);
  });

  it.each<[string, JsonObject, boolean]>([
    ['matchLabels of the object', { objectSelector: { matchLabels: { app: 'a' } } }, true],
    ['other labels', { objectSelector: { matchLabels: { app: 'b' } } }, false],
    ['labels of the namespace', { namespaceSelector: { matchLabels: { team: 'x' } } }, true],
    ['other labels of the namespace', { namespaceSelector: { matchLabels: { team: 'y' } } }, false],
    ['a condition', { matchConditions: [{ name: 'c', expression: "object.metadata.name == 'p'" }] }, true],
    ['a false condition', { matchConditions: [{ name: 'c', expression: "request.operation == 'DELETE'" }] }, false],
    [
      'a false condition after an error',
      {
        matchConditions: [
          { name: 'e', expression: 'object.none == 1' },
          { name: 'c', expression: 'false' },
        ],
      },
      false,
    ],
    [
      'a check of the authorizer',
      {
        matchConditions: [{ name: 'c', expression: "authorizer.group('').resource('pods').check('create').allowed()" }],
      },
      true,
    ],
  ])('selects by %s', async (_title, more, expected) => {
    const { plugin, configure, received } = validating({ '/a': ALLOW });
    configure(configuration('c', ['/a'], more));
    const namespaceObject = (): JsonObject => ({ metadata: { name: 'ns', labels: { team: 'x' } } });
    expect(await admit([plugin], pod({ namespaceObject }))).toBeUndefined();
    expect(received).toHaveLength(expected ? 1 : 0);
  });

  it('refuses for a condition that fails, unless failures are ignored', async () => {
    const { plugin, configure } = validating({ '/a': ALLOW });
    const matchConditions = [{ name: 'c', expression: 'object.none == 1' }];
    configure(configuration('c', ['/a'], { matchConditions }));
    expect(await admit([plugin], pod())).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: expression 'object.none == 1' resulted in error: no such key: none`,
    });
    configure(configuration('c', ['/a'], { matchConditions, failurePolicy: 'Ignore' }));
    expect(await admit([plugin], pod())).toBeUndefined();
  });

  it('answers 404 if the namespace to be selected does not exist', async () => {
    const { plugin, configure } = validating({ '/a': ALLOW });
    configure(configuration('c', ['/a'], { namespaceSelector: { matchLabels: { team: 'x' } } }));
    expect(await admit([plugin], pod())).toMatchObject({ code: 404, message: 'namespaces "ns" not found' });
  });
});

describe('MutatingAdmissionWebhook', () => {
  const mutating = (responses: Responses): ReturnType<typeof testWebhooks> & { plugin: AdmissionPlugin } => {
    const hooks = testWebhooks(responses);
    return { ...hooks, plugin: mutatingAdmissionWebhook(hooks.options) };
  };
  const label = (key: string) => (): JsonObject =>
    patching({ op: 'add', path: `/metadata/labels/${key}`, value: 'yes' });
  /** Adds the label once. */
  const labelOnce =
    (key: string) =>
    (request: JsonObject): JsonObject => {
      const { object } = request as { object: { metadata: { labels: JsonObject } } };
      return key in object.metadata.labels ? { allowed: true } : label(key)();
    };

  it('applies patches one after the other', async () => {
    const { plugin, configure, received } = mutating({ '/a': label('one'), '/b': label('two') });
    configure(configuration('c', ['/a', '/b']));
    const attributes = pod();
    expect(await admit([plugin], attributes)).toBeUndefined();
    expect(attributes.object).toEqual({ metadata: { name: 'p', labels: { app: 'a', one: 'yes', two: 'yes' } } });
    expect(received.map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(received[1]?.request['object']).toEqual({ metadata: { name: 'p', labels: { app: 'a', one: 'yes' } } });
    expect(attributes.annotations).toMatchObject({
      'mutation.webhook.admission.k8s.io/round_0_index_1':
        '{"configuration":"c","webhook":"b.example.com","mutated":true}',
      'patch.webhook.admission.k8s.io/round_0_index_0':
        '{"configuration":"c","webhook":"a.example.com","patch":[{"op":"add","path":"/metadata/labels/one","value":"yes"}],"patchType":"JSONPatch"}',
    });
  });

  it('calls a webhook again if a later one changed the object', async () => {
    const { plugin, configure, received } = mutating({ '/a': labelOnce('one'), '/b': labelOnce('two') });
    configure(configuration('c', ['/a', '/b'], { reinvocationPolicy: 'IfNeeded' }));
    expect(await admit([plugin], pod())).toBeUndefined();
    expect(received.map(({ path }) => path)).toEqual(['/a', '/b', '/a']);
  });

  it('calls no webhook twice with the policy Never', async () => {
    const { plugin, configure, received } = mutating({ '/a': labelOnce('one'), '/b': labelOnce('two') });
    configure(configuration('c', ['/a', '/b']));
    expect(await admit([plugin], pod())).toBeUndefined();
    expect(received.map(({ path }) => path)).toEqual(['/a', '/b']);
  });

  it('calls webhooks again if another plugin changes the object in the second run', async () => {
    const { plugin, configure, received } = mutating({ '/a': labelOnce('one') });
    configure(configuration('c', ['/a'], { reinvocationPolicy: 'IfNeeded' }));
    let runs = 0;
    const other: AdmissionPlugin = {
      name: 'Other',
      handles: () => true,
      admit: ({ object }) => {
        if (++runs === 2 && object !== undefined) object['changed'] = true;
      },
    };
    expect(await admit([other, plugin], pod())).toBeUndefined();
    expect(received.map(({ path }) => path)).toEqual(['/a', '/a']);
  });

  it.each<[string, JsonObject, string]>([
    ['a patch that does not apply', patching({ op: 'test', path: '/x', value: 1 }), 'Internal error occurred: '],
    [
      'a patch without a type',
      { allowed: true, patch: btoa('[]') },
      'Internal error occurred: failed calling webhook "a.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      'a type without a patch',
      { allowed: true, patchType: 'JSONPatch' },
      'Internal error occurred: failed calling webhook "a.example.com": received invalid webhook response: webhook returned response.patchType but not response.patch',
    ],
    [
      'another type',
      { ...patching({ op: 'remove', path: '/metadata' }), patchType: 'MergePatch' },
      'Internal error occurred: failed calling webhook "a.example.com": unsupported patch type "MergePatch"',
    ],
  ])('refuses %s', async (_title, response, message) => {
    const { plugin, configure } = mutating({ '/a': () => response });
    configure(configuration('c', ['/a']));
    const status = await admit([plugin], pod());
    expect(status?.code).toBe(500);
    expect(status?.message).toContain(message);
  });

  it('refuses a patch of a request without an object', async () => {
    const { plugin, configure } = mutating({ '/a': label('one') });
    configure(configuration('c', ['/a']));
    const status = await admit([plugin], pod({ operation: 'DELETE', object: undefined }));
    expect(status?.message).toBe(
      'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
    );
  });

  it('shows a webhook the object in the version of its rule, and converts the patched one back', async () => {
    const v1 = plainVersion({ group: 'g', version: 'v1', kind: 'Thing' });
    const v2 = plainVersion({ group: 'g', version: 'v2', kind: 'Thing' });
    const { plugin, configure, received } = mutating({ '/a': label('one') });
    const rules = [{ operations: ['*'], apiGroups: ['g'], apiVersions: ['v2'], resources: ['*'] }];
    configure(configuration('c', ['/a'], { rules }));
    const attributes = pod({
      version: v1,
      versions: [v1, v2],
      resource: { group: 'g', version: 'v1', resource: 'things' },
      convert: (object, _from, to) => ({ ...object, apiVersion: to.version }),
    });
    expect(await admit([plugin], attributes)).toBeUndefined();
    expect(received[0]?.request).toMatchObject({
      kind: { version: 'v2' },
      resource: { version: 'v2' },
      requestResource: { version: 'v1' },
      object: { apiVersion: 'v2' },
    });
    expect(attributes.object).toMatchObject({ apiVersion: 'v1', metadata: { labels: { one: 'yes' } } });
  });

  it('ends with a timeout if the request has no time left after a failure that is ignored', async () => {
    const { plugin, configure, clock } = mutating({ '/a': () => new TransportError('late') });
    configure(configuration('c', ['/a'], { failurePolicy: 'Ignore' }));
    const running = admit([plugin], pod({ deadline: clock.monotonic() }));
    expect(await running).toMatchObject({
      code: 504,
      message: 'Timeout: request did not complete within requested timeout',
    });
  });
});
