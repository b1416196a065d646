/**
 * Definitions with one error each, which both servers must treat alike. Invariant: they are sent as dry runs before the
 * real definition exists, so nothing is stored.
 */
import type { Random } from '../../test/fuzz/random.ts';
import type { Json } from '../diff/normalise.ts';
import { DEFINITIONS, minimiseDefinition } from './definition.ts';
import { isDict, type JsonDict } from './schema.ts';
import { compareAsked } from './session.ts';
import type { SubjectRun } from './subject.ts';

type Break = (definition: JsonDict, random: Random) => void;

/** Each changes a copy in place. */
const BREAKS: Readonly<Record<string, Break>> = {
  'name that does not match': (crd) => {
    (crd['metadata'] as JsonDict)['name'] = `x${String((crd['metadata'] as JsonDict)['name'])}`;
  },
  'no storage version': (crd) => {
    for (const version of versionsOf(crd)) version['storage'] = false;
  },
  'two versions of one name': (crd) => {
    const versions = versionsOf(crd);
    versions.push({ ...structuredClone(versions[0] as JsonDict), storage: false });
  },
  'bad scope': (crd) => Object.assign(specOf(crd), { scope: 'Everywhere' }),
  'bad group': (crd) => Object.assign(specOf(crd), { group: 'Not A Group' }),
  'bad names': (crd) => Object.assign(namesOf(crd), { kind: 'Not-A-Kind', singular: 'Upper', shortNames: ['a_b'] }),
  'list kind equals kind': (crd) => Object.assign(namesOf(crd), { listKind: namesOf(crd)['kind'] as string }),
  'bad version name': (crd) => Object.assign(versionsOf(crd)[0] as JsonDict, { name: 'V.1' }),
  'no schema': (crd) => {
    delete versionsOf(crd)[0]?.['schema'];
  },
  preserveUnknownFields: (crd) => Object.assign(specOf(crd), { preserveUnknownFields: true }),
  'webhook conversion without a webhook': (crd) => Object.assign(specOf(crd), { conversion: { strategy: 'Webhook' } }),
  'unknown conversion': (crd) => Object.assign(specOf(crd), { conversion: { strategy: 'Magic' } }),
  'bad column': (crd) =>
    Object.assign(versionsOf(crd)[0] as JsonDict, {
      additionalPrinterColumns: [
        { name: 'a', type: 'money', jsonPath: 'spec.a' },
        { name: 'a', type: 'string', jsonPath: '.b[' },
      ],
    }),
  'bad scale paths': (crd) =>
    Object.assign(versionsOf(crd)[0] as JsonDict, {
      subresources: {
        scale: { specReplicasPath: '.status.x', statusReplicasPath: 'spec', labelSelectorPath: '.a[0]' },
      },
    }),
  'selectable field that is not there': (crd) =>
    Object.assign(versionsOf(crd)[0] as JsonDict, {
      selectableFields: [{ jsonPath: '.spec.noSuchField' }, { jsonPath: 'x' }],
    }),
  'type missing': onNode((node) => {
    delete node['type'];
  }),
  'unknown type': onNode((node) => Object.assign(node, { type: 'money' })),
  'bad regular expression': onNode((node) => Object.assign(node, { pattern: '(?=a)[' })),
  'unique items': onNode((node) => Object.assign(node, { uniqueItems: true })),
  reference: onNode((node) => Object.assign(node, { $ref: '#/definitions/x' })),
  'additionalProperties false': onNode((node) => Object.assign(node, { additionalProperties: false })),
  'default that does not fit': onNode((node) =>
    Object.assign(node, { default: node['type'] === 'string' ? 5 : 'text' }),
  ),
  'default with unknown field': onNode((node) => {
    if (node['type'] === 'object') node['default'] = { noSuchField: 1 };
  }),
  'int-or-string with a type': onNode((node) => Object.assign(node, { 'x-kubernetes-int-or-string': true })),
  'set of objects': onNode((node) => {
    if (node['type'] === 'array') node['x-kubernetes-list-type'] = 'set';
    else Object.assign(node, { 'x-kubernetes-list-type': 'map' });
  }),
  'map without keys': onNode((node) => {
    Object.assign(node, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['noSuchKey'] });
  }),
  'bad map type': onNode((node) => Object.assign(node, { 'x-kubernetes-map-type': 'sparse' })),
  'type below a logic operator': onNode((node) =>
    Object.assign(node, { anyOf: [{ type: 'object', description: 'x' }, { properties: { noSuchField: {} } }] }),
  ),
  'preserve below a typed value': onNode((node) =>
    Object.assign(node, { 'x-kubernetes-preserve-unknown-fields': false }),
  ),
  'embedded resource without type': onNode((node) => Object.assign(node, { 'x-kubernetes-embedded-resource': true })),
  'rule that does not compile': onNode((node) =>
    Object.assign(node, { 'x-kubernetes-validations': [{ rule: 'self.noSuchField == 1 &&' }] }),
  ),
  'rule of the wrong type': onNode((node) =>
    Object.assign(node, { 'x-kubernetes-validations': [{ rule: '1 + 1' }, { rule: '' }] }),
  ),
  'rule on an undeclared name': onNode((node) =>
    Object.assign(node, {
      'x-kubernetes-validations': [
        { rule: 'other.size() > 0', messageExpression: '1', reason: 'Odd', fieldPath: '.x' },
      ],
    }),
  ),
  'rule that costs too much': onNode((node) =>
    Object.assign(node, {
      'x-kubernetes-validations': [
        {
          rule: '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, string(self).matches("a+b+c+") || a == b))',
        },
      ],
    }),
  ),
  'nothing at all': () => {},
};

export async function runBrokenDefinitions(run: SubjectRun, count: number): Promise<void> {
  const { random, session, subject } = run;
  for (let i = 0; i < count; i++) {
    const kind = random.pick(Object.keys(BREAKS));
    const definition = structuredClone(subject.definition) as unknown as JsonDict;
    (BREAKS[kind] as Break)(definition, random);
    const compared = compareAsked(
      await session.ask({
        method: 'POST',
        path: `${DEFINITIONS}?dryRun=All&fieldValidation=Strict`,
        body: definition as Json,
      }),
      false,
    );
    const differences = compared.object ?? [];
    const minimised = await minimiseDefinition(run, `POST, ${kind}`, definition, differences);
    run.add('definition', `POST, ${kind}`, differences, minimised);
    if (compared.messages !== undefined) run.add('messages', `POST of a definition, ${kind}`, compared.messages);
  }
}

/** Changes one schema node below `spec`, in any version. */
function onNode(change: (node: JsonDict) => void): Break {
  return (crd, random) => {
    const nodes: JsonDict[] = [];
    const visit = (node: Json | undefined): void => {
      if (!isDict(node)) return;
      nodes.push(node);
      if (isDict(node['properties'])) Object.values(node['properties']).forEach(visit);
      visit(node['items']);
      visit(node['additionalProperties']);
    };
    for (const version of versionsOf(crd)) {
      const schema = isDict(version['schema']) ? version['schema']['openAPIV3Schema'] : undefined;
      const properties = isDict(schema) ? schema['properties'] : undefined;
      if (isDict(properties)) for (const name of ['spec', 'status']) visit(properties[name]);
    }
    if (nodes.length > 0) change(random.pick(nodes));
  };
}

function specOf(crd: JsonDict): JsonDict {
  return crd['spec'] as JsonDict;
}

function namesOf(crd: JsonDict): JsonDict {
  return specOf(crd)['names'] as JsonDict;
}

function versionsOf(crd: JsonDict): JsonDict[] {
  return specOf(crd)['versions'] as JsonDict[];
}
