import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { staticNameWarnings } from './admission-definitions.ts';
import { setMutatingWebhookDefaults } from './mutating-webhook-configuration.ts';
import { setValidatingWebhookDefaults } from './validating-webhook-configuration.ts';
import { validateWebhookConfiguration, validateWebhookConfigurationUpdate, webhookTable } from './webhook-rules.ts';

const webhook = (changes: JsonObject = {}): JsonObject => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/hook' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
  ...changes,
});
const configuration = (...webhooks: JsonObject[]): JsonObject => ({ metadata: { name: 'c' }, webhooks });
const complaints = (...webhooks: JsonObject[]) =>
  validateWebhookConfiguration(configuration(...webhooks)).map(formatIssue);

describe('a webhook configuration', () => {
  test('is valid with the usual fields', () => {
    expect(complaints(webhook())).toEqual([]);
  });

  test.each<[JsonObject, readonly string[]]>([
    [
      { name: 'x' },
      ['webhooks[0].name: Invalid value: "x": should be a domain with at least three segments separated by dots'],
    ],
    [{ clientConfig: {} }, ['webhooks[0].clientConfig: Required value: exactly one of url or service is required']],
    [
      { sideEffects: 'Some' },
      ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      { sideEffects: null, admissionReviewVersions: null },
      [
        'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
        'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
      ],
    ],
    [
      { admissionReviewVersions: ['v2', 'v2'] },
      [
        'webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
        'webhooks[0].admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      { timeoutSeconds: 31, failurePolicy: 'X', reinvocationPolicy: 'Z' },
      [
        'webhooks[0].failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
        'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
        'webhooks[0].reinvocationPolicy: Unsupported value: "Z": supported values: "IfNeeded", "Never"',
      ],
    ],
    [
      { rules: [{ apiGroups: ['*', 'a'], apiVersions: [''], operations: ['FOO'], resources: ['pods/*', 'pods/x'] }] },
      [
        'webhooks[0].rules[0].operations[0]: Unsupported value: "FOO": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        'webhooks[0].rules[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other API groups',
        'webhooks[0].rules[0].apiVersions[0]: Required value',
        'webhooks[0].rules[0].resources[1]: Invalid value: "pods/x": if \'pods/*\' is present, must not specify pods/x',
      ],
    ],
    [
      { matchConditions: [{ name: 'a', expression: 'params.x' }] },
      [
        "webhooks[0].matchConditions[0].expression: Invalid value: \"params.x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x\n | ^",
      ],
    ],
  ])('is refused with %j', (changes, expected) => {
    expect(complaints(webhook(changes))).toEqual(expected);
  });

  test('needs unique webhook names', () => {
    expect(complaints(webhook(), webhook())).toEqual(['webhooks[1].name: Duplicate value: "a.example.com"']);
  });

  test('may keep on update invalid values that are stored', () => {
    const old = configuration(webhook({ sideEffects: 'Some', admissionReviewVersions: ['v2'] }));
    const next = configuration(webhook({ sideEffects: 'Unknown', admissionReviewVersions: ['v3'] }));
    expect(validateWebhookConfigurationUpdate(next, old)).toEqual([]);
    expect(validateWebhookConfigurationUpdate(next, configuration(webhook())).map(({ reason }) => reason)).toEqual([
      'FieldValueNotSupported',
      'FieldValueInvalid',
    ]);
  });

  test('validates match conditions on update only if they changed', () => {
    const bad = configuration(webhook({ matchConditions: [{ name: 'a', expression: '1' }] }));
    expect(validateWebhookConfigurationUpdate(bad, bad)).toEqual([]);
    expect(validateWebhookConfigurationUpdate(bad, configuration(webhook()))).toHaveLength(1);
  });

  test('has defaults', () => {
    const object = configuration(webhook({ clientConfig: { service: { namespace: 'n', name: 's' } } }));
    setMutatingWebhookDefaults(object);
    expect(object['webhooks']).toEqual([
      {
        ...webhook(),
        clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' }],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        reinvocationPolicy: 'Never',
      },
    ]);
    const validating = configuration(webhook());
    setValidatingWebhookDefaults(validating);
    expect(JSON.stringify(validating)).not.toContain('reinvocationPolicy');
  });

  test('shows its number of webhooks, and warns about names reserved for manifest files', () => {
    expect(webhookTable().cells(configuration(webhook(), webhook()), 0)).toEqual(['c', 2, '<unknown>']);
    expect(staticNameWarnings({ metadata: { name: 'x.static.k8s.io' } })).toHaveLength(1);
    expect(staticNameWarnings({ metadata: { name: 'x' } })).toEqual([]);
  });
});
