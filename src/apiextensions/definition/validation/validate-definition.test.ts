import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { CRD_V1, CRD_V1BETA1 } from '../crd-definition.ts';
import { crd, crdVersion, decoded, merged, texts, v1beta1Crd } from '../definition.fixtures.ts';
import { createSchemaChecks } from './create-schema-checks.ts';
import { validateDefinition, validateDefinitionStatusUpdate, validateDefinitionUpdate } from './validate-definition.ts';

const tools = { checks: createSchemaChecks(), caBundle: (bundle: string) => (bundle === 'AAAA' ? 'bad' : undefined) };
const V1 = { isV1beta1: false, tools };
const V1BETA1 = { isV1beta1: true, tools };

function created(spec: object, rest: object = {}): string[] {
  return texts(validateDefinition(decoded(CRD_V1, crd({ spec, ...rest })), V1));
}

function schemaIssues(openAPIV3Schema: object, version: object = {}): string[] {
  return created({ versions: [{ ...crdVersion('v1'), schema: { openAPIV3Schema }, ...version }] });
}

function property(field: object): string[] {
  const at = 'spec.validation.openAPIV3Schema.properties[a]';
  return schemaIssues({ type: 'object', properties: { a: field } }).map((text) => text.replace(at, 'a'));
}

function betaCreated(spec: object): string[] {
  return texts(validateDefinition(decoded(CRD_V1BETA1, v1beta1Crd({ spec })), V1BETA1));
}

const ESTABLISHED = { conditions: [{ type: 'Established', status: 'True' }] };

function updated(old: JsonObject, change: object): string[] {
  const before = decoded(CRD_V1, merged(old, { metadata: { resourceVersion: '1' } }));
  return texts(validateDefinitionUpdate(decoded(CRD_V1, merged(before, change as JsonObject)), before, V1));
}

describe('a new definition', () => {
  test('without issues is accepted', () => {
    expect(created({})).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    ['group', { group: '' }, ['spec.group: Required value']],
    [
      'group without a dot',
      { group: 'x' },
      ['spec.group: Invalid value: "x": should be a domain with at least one dot'],
    ],
    ['scope', { scope: 'x' }, ['spec.scope: Unsupported value: "x": supported values: "Cluster", "Namespaced"']],
    [
      'equal kinds',
      { names: { listKind: 'Thing' } },
      ['spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same'],
    ],
    [
      'unknown fields',
      { preserveUnknownFields: true },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'no schema',
      { versions: [crdVersion('v1', { schema: undefined })] },
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'strategy',
      { conversion: { strategy: 'x' } },
      ['spec.conversion.strategy: Unsupported value: "x": supported values: "None", "Webhook"'],
    ],
  ])('is refused for its %s', (_, spec, expected) => {
    const issues = created(spec).filter((text) => !text.startsWith('metadata.name: '));
    expect(issues).toEqual(expected);
  });

  test('has the name of its plural and group', () => {
    expect(created({}, { metadata: { name: 'other.example.com' } })).toEqual([
      'metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group',
    ]);
  });

  test('shows versions with the Go names of their fields', () => {
    expect(created({ versions: [{ name: 'v1', served: true, storage: false }] })).toContain(
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
    );
  });

  test('with two storage versions of the same name misses the second among the stored versions', () => {
    const issues = created({ versions: [crdVersion('v1'), crdVersion('v1')] });
    expect(issues.map((text) => text.replace(/Invalid value: .*: /, ''))).toEqual([
      'spec.versions: must contain unique version names',
      'spec.versions: must have exactly one version marked as storage version',
      'status.storedVersions: must have the storage version v1',
    ]);
  });

  test('may have an unusable CA bundle, and a service with wrong parts', () => {
    const webhook = {
      clientConfig: { service: { name: '', namespace: 'n' }, caBundle: 'AAAA' },
      conversionReviewVersions: ['v1'],
    };
    expect(created({ conversion: { strategy: 'Webhook', webhook } })).toEqual([
      'spec.conversion.webhookClientConfig.service.namespace: Required value',
    ]);
  });

  test.each([
    ['http://x', "'https' is the only allowed URL scheme; desired format: https://host[/path]"],
    ['https://x?a', 'query parameters are not permitted in the URL'],
    ['https://u@x', 'user information is not permitted in the URL'],
    ['https://x#f', 'fragments are not permitted in the URL'],
    ['https://', 'host must be specified; desired format: https://host[/path]'],
    [
      'https://x:y',
      'url must be a valid URL: parse "https://x:y": invalid port ":y" after host; desired format: https://host[/path]',
    ],
    ['://', 'url must be a valid URL: parse "://": missing protocol scheme; desired format: https://host[/path]'],
  ])('cannot have a conversion webhook at %s', (url, message) => {
    const webhook = { clientConfig: { url }, conversionReviewVersions: ['v1'] };
    const [issue, ...more] = created({ conversion: { strategy: 'Webhook', webhook } });
    expect(issue).toMatch(/^spec\.conversion\.webhookClientConfig\.url: /);
    expect(issue?.endsWith(message)).toBe(true);
    expect(more).toEqual([]);
  });

  test('of a protected group must name its approval', () => {
    const [issue] = created({ group: 'a.k8s.io' }, { metadata: { name: 'things.a.k8s.io' } });
    expect(issue).toMatch(
      /^metadata\.annotations\[api-approved\.kubernetes\.io\]: Required value: protected groups must/,
    );
  });
});

describe('a schema', () => {
  test.each<[object, string[]]>([
    [
      { type: 'text' },
      [
        'a.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [{ type: 'string', id: 'x' }, ['a.id: Forbidden: id is not supported']],
    [
      { type: 'array', items: [{ type: 'string' }] },
      ['a.items: Forbidden: items must be a schema object and not an array'],
    ],
    [
      { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: false },
      ['a.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
    ],
    [
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
      [
        'a.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [
        'a.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
    ],
    [
      { type: 'object', 'x-kubernetes-map-type': 'x' },
      ['a.x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"'],
    ],
    [
      {
        type: 'string',
        'x-kubernetes-validations': [{ rule: ' ', messageExpression: ' ', reason: 'x', fieldPath: '.q' }],
      },
      [
        'a.x-kubernetes-validations[0].rule: Required value: rule is not specified',
        'a.x-kubernetes-validations[0].messageExpression: Required value: messageExpression must be non-empty if specified',
        'a.x-kubernetes-validations[0].reason: Unsupported value: "x": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
        'a.x-kubernetes-validations[0].fieldPath: Invalid value: ".q": must be a valid path',
      ],
    ],
  ])('with %j is refused', (field, expected) => {
    expect(property(field)).toEqual(expected);
  });

  test('that all versions share is named in the spec, others in their version', () => {
    const bad = { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', id: 'x' } } } };
    const two = (schema: object) => [
      crdVersion('v1', { schema: bad }),
      { ...crdVersion('v2'), storage: false, schema },
    ];
    expect(created({ versions: two(bad) })).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].id: Forbidden: id is not supported',
    ]);
    expect(created({ versions: two({ openAPIV3Schema: { type: 'object' } }) })).toEqual([
      'spec.versions[0].schema.openAPIV3Schema.properties[a].id: Forbidden: id is not supported',
    ]);
  });

  test('with a status subresource may have few fields at its root', () => {
    const [issue] = schemaIssues({ type: 'object', maxProperties: 1 }, { subresources: { status: {} } });
    expect(issue).toMatch(
      /^spec\.validation\.openAPIV3Schema: Invalid value: \{"ID":"","Schema":"","Ref":null,.*"MaxProperties":1,.*: only \[Description Type Format /,
    );
  });

  test('has no defaults for the metadata of objects', () => {
    expect(schemaIssues({ type: 'object', properties: { kind: { type: 'string', default: 'x' } } })).toEqual([
      'spec.validation.openAPIV3Schema.properties[kind].default: Forbidden: must not be set in top-level kind',
    ]);
  });
});

describe('a huge schema', () => {
  const nested = (levels: number, wrap: (inner: object) => object): object => {
    let schema: object = { type: 'string' };
    for (let i = 0; i < levels; i++) schema = wrap(schema);
    return schema;
  };

  test.each<[string, (inner: object) => object]>([
    ['items', (inner) => ({ type: 'array', items: inner })],
    ['additionalProperties', (inner) => ({ type: 'object', additionalProperties: inner })],
  ])('with too many levels of %s is refused before decoding', (_, wrap) => {
    expect(() => property(nested(600, wrap))).toThrow('exceeded max depth');
  });

  test.each<[string, (inner: object) => object]>([
    ['properties', (inner) => ({ type: 'object', properties: { a: inner } })],
    ['allOf', (inner) => ({ allOf: [inner] })],
    ['not', (inner) => ({ not: inner })],
  ])('with too many levels of %s is refused', (_, wrap) => {
    expect(property(nested(600, wrap))).toEqual([
      'spec.validation.openAPIV3Schema: Forbidden: must not be nested deeper than 500 levels',
    ]);
  });

  test('with many levels is accepted', () => {
    expect(property(nested(400, (inner) => ({ type: 'object', properties: { a: inner } })))).toEqual([]);
  });

  test('is parsed once for all its rules', () => {
    const names = Array.from({ length: 3000 }, (_, i) => `p${i}`);
    const issues = property({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
      'x-kubernetes-validations': names.map((name) => ({ rule: `self.${name} > 0`, fieldPath: `.${name}x` })),
    });
    expect(issues).toHaveLength(3000);
  });
});

describe('selectable fields', () => {
  test('are strings, numbers or booleans of the schema, without duplicates', () => {
    const schema = {
      openAPIV3Schema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } } },
    };
    const selectableFields = ['.a', '.a', '.b', '.c', ''].map((jsonPath) => ({ jsonPath }));
    const at = (i: number) => `spec.selectableFields[${i}].jsonPath`;
    expect(created({ versions: [crdVersion('v1', { schema, selectableFields })] })).toEqual([
      `${at(1)}: Duplicate value: ".a"`,
      `${at(2)}: Invalid value: ".b": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`,
      `${at(3)}: Invalid value: ".c": is an invalid path: does not refer to a valid field`,
      `${at(4)}: Required value`,
    ]);
  });
});

describe('a v1beta1 definition', () => {
  test('needs neither a schema nor an approval', () => {
    expect(betaCreated({})).toEqual([]);
  });

  test('may have a schema that is not structural if unknown fields are preserved', () => {
    const validation = { openAPIV3Schema: { properties: { a: { pattern: 'x' } } } };
    expect(betaCreated({ validation })).toEqual([]);
    expect(betaCreated({ validation, preserveUnknownFields: false })).not.toEqual([]);
  });

  test('may not have defaults, nor the same field in two places', () => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } };
    expect(betaCreated({ validation: schema, preserveUnknownFields: false })).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].default: Forbidden: must not be set (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)',
    ]);
    const versions = [{ ...crdVersion('v1'), schema: { openAPIV3Schema: { type: 'object' } } }];
    expect(betaCreated({ validation: { openAPIV3Schema: {} }, versions })).toContain(
      'spec.validation: Forbidden: top-level and per-version schemas are mutually exclusive',
    );
  });

  test('can be updated in v1 without the fields that it never had', () => {
    const old = crd({
      metadata: { name: 'things.a.k8s.io' },
      spec: { group: 'a.k8s.io', preserveUnknownFields: true, versions: [crdVersion('v1', { schema: undefined })] },
      status: ESTABLISHED,
    });
    expect(updated(old, { spec: { names: { shortNames: ['t'] } } })).toEqual([]);
    expect(updated(old, { spec: { preserveUnknownFields: false } })).toEqual([
      'spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned',
    ]);
  });
});

describe('a changed definition', () => {
  const established = crd({ status: ESTABLISHED });

  test('keeps its scope and kind once it is established, and always its group and plural', () => {
    const change = { spec: { scope: 'Cluster', group: 'b.com', names: { kind: 'Other', plural: 'others' } } };
    const always = [
      'spec.group: Invalid value: "b.com": field is immutable',
      'spec.names.plural: Invalid value: "others": field is immutable',
    ];
    expect(updated(crd(), change)).toEqual(always);
    expect(updated(established, change)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
      ...always,
    ]);
  });

  test('keeps its stored versions', () => {
    expect(
      updated(established, { spec: { versions: [crdVersion('v2')] }, status: { storedVersions: ['v1', 'v2'] } }),
    ).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });

  test('may not get an invalid CA bundle once it is established, unless it had one', () => {
    const conversion = (caBundle: string) => ({
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://x', caBundle }, conversionReviewVersions: ['v1'] },
      },
    });
    const refused = ['spec.conversion.webhookClientConfig.caBundle: Invalid value: "AAAA": bad'];
    expect(updated(crd(), { spec: conversion('AAAA') })).toEqual([]);
    expect(updated(established, { spec: conversion('AAAA') })).toEqual(refused);
    expect(
      updated(crd({ spec: conversion('AAAA'), status: ESTABLISHED }), { metadata: { labels: { a: 'b' } } }),
    ).toEqual([]);
  });

  test('may keep violations that it already had', () => {
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' } },
      },
    };
    const old = crd({ spec: { versions: [crdVersion('v1', { schema })] } });
    expect(updated(old, { spec: { names: { shortNames: ['t'] } } })).toEqual([]);
    expect(updated(crd(), { spec: { versions: [crdVersion('v1', { schema })] } })).toHaveLength(1);
  });
});

describe('a changed status', () => {
  test('has valid accepted names', () => {
    const object = decoded(
      CRD_V1,
      crd({ metadata: { resourceVersion: '1' }, status: { acceptedNames: { plural: 'Bad', kind: 'Thing' } } }),
    );
    expect(texts(validateDefinitionStatusUpdate(object, object, V1))).toEqual([
      expect.stringMatching(/^status\.acceptedNames\.plural: Invalid value: "Bad": a DNS-1035 label must/),
    ]);
  });
});

describe('annotations under keelson.dev/', () => {
  const annotated = (key: string, value = ''): JsonObject =>
    decoded(CRD_V1, crd({ metadata: { annotations: { [key]: value }, resourceVersion: '1' } }));
  const MISSPELT = annotated('keelson.dev/converson');

  test('must be known', () => {
    expect(texts(validateDefinition(MISSPELT, V1))).toEqual([
      'metadata.annotations[keelson.dev/converson]: Forbidden: unknown annotation of a definition: did you mean keelson.dev/conversion?',
    ]);
    expect(texts(validateDefinition(annotated('keelson.dev/owner'), V1))).toEqual([
      'metadata.annotations[keelson.dev/owner]: Forbidden: unknown annotation of a definition: the annotations under keelson.dev/ are keelson.dev/conversion',
    ]);
    expect(texts(validateDefinition(annotated('other.dev/conversion'), V1))).toEqual([]);
  });

  test('are validated on create, on update and on update of the status', () => {
    const plain = annotated('a');
    const broken = annotated('keelson.dev/conversion', 'x: 1');
    for (const issues of [
      validateDefinition(broken, V1),
      validateDefinitionUpdate(broken, plain, V1),
      validateDefinitionStatusUpdate(broken, plain, V1),
    ])
      expect(texts(issues)).toEqual([expect.stringContaining('must be a list of {from, to, fields, lossy}')]);
    expect(texts(validateDefinitionStatusUpdate(MISSPELT, plain, V1))).toHaveLength(1);
  });

  test('may stay if the stored definition has them', () => {
    expect(texts(validateDefinitionUpdate(MISSPELT, MISSPELT, V1))).toEqual([]);
  });
});
