import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { Crd } from '../apiextensions/crd.ts';
import { type CrdTypesOptions, crdTypes } from './crd-types.ts';
import { CRON_TAB, checkText } from './scaffold.fixtures.ts';

async function crdsOf(text: string): Promise<Crd[]> {
  return (await checkText(text)).flatMap(({ crd }) => (crd === undefined ? [] : [crd]));
}

async function typesOf(text: string, options?: CrdTypesOptions): Promise<ReadonlyMap<string, string>> {
  return crdTypes(await crdsOf(text), options);
}

/** Returns a definition of a kind with the properties of its spec as flow YAML. */
function definition(kind: string, properties: string): string {
  const plural = `${kind.toLowerCase()}s`;
  return `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.example.com}
spec:
  group: example.com
  names: {plural: ${plural}, kind: ${kind}}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: ${properties}}}}}
`;
}

const REF = '{type: object, properties: {name: {type: string}, key: {type: string}}}';
const OTHER_REF = '{type: object, properties: {name: {type: string}}}';

describe('crd types', () => {
  it('are discriminated by apiVersion and kind', async () => {
    const files = await typesOf(CRON_TAB);
    expect([...files.keys()]).toEqual(['stable.example.com/v1.ts', 'meta.ts']);
    expect(
      files.get('stable.example.com/v1.ts')?.replace(' from ', ' FROM '),
    ).toBe(`// Made by \`keelson crd types\`. Changes here are lost.

import type { ListMeta, ObjectMeta } FROM '../meta.js';

/** A table of things to do. */
export interface CronTab {
  apiVersion: "stable.example.com/v1";
  kind: "CronTab";
  metadata: ObjectMeta;
  spec?: CronTabSpec;
}

export interface CronTabList {
  apiVersion: "stable.example.com/v1";
  kind: "CronTabList";
  metadata: ListMeta;
  items: CronTab[];
}

export interface CronTabSpec {
  cronSpec: string;
  extra?: { [key: string]: unknown };
  image?: "a" | "b";
  labels?: { [key: string]: string };
  ports?: Port[];
  replicas?: number;
}

export interface Port {
  "my-name"?: string | null;
  port?: number | string;
}
`);
  });

  it('for keelson/client have a token of each kind, and optional types', async () => {
    const cluster = CRON_TAB.replace('scope: Namespaced', 'scope: Cluster');
    const files = await typesOf(cluster, { metadata: 'keelson' });
    expect([...files.keys()]).toEqual(['stable.example.com/v1.ts']);
    expect(files.get('stable.example.com/v1.ts')?.replaceAll(' from ', ' FROM ')).toContain(`
import type { Kind } FROM 'keelson/kinds';
import type { ListMeta, ObjectMeta } FROM 'keelson/kinds/meta/v1';

/** A table of things to do. */
export interface CronTab {
  apiVersion?: "stable.example.com/v1";
  kind?: "CronTab";
  metadata?: ObjectMeta;
  spec?: CronTabSpec;
}

export const CronTab: Kind<CronTab, "Cluster"> = {
  group: "stable.example.com",
  version: "v1",
  kind: "CronTab",
  plural: "crontabs",
  scope: "Cluster",
};

export interface CronTabList {`);
  });

  it('are valid TypeScript for any names and descriptions', async () => {
    const odd = CRON_TAB.replace(
      'image:',
      '"9 lives*/": {type: boolean, description: "ends */ here\\nor there"}\n                image:',
    );
    for (const text of (await typesOf(odd)).values())
      await expect(transform(text, { loader: 'ts' })).resolves.toBeDefined();
  });

  it('are one type for equal shapes, also of several kinds, and keep the comments of fields', async () => {
    const described = (about: string): string => REF.replace('{type: object,', `{type: object, description: ${about},`);
    const text = [
      definition('A', `{secretRef: ${described('First.')}, nested: {type: array, items: ${described('Of an item.')}}}`),
      definition('B', `{tokenRef: ${described('Second.')}}`),
    ].join('');
    const file = (await typesOf(text)).get('example.com/v1.ts') ?? '';
    expect(file.match(/^export interface .*/gm)).toEqual([
      'export interface A {',
      'export interface AList {',
      'export interface ASpec {',
      'export interface TokenRef {',
      'export interface B {',
      'export interface BList {',
      'export interface BSpec {',
    ]);
    expect(file).toContain('/** First. */\n  secretRef?: TokenRef;');
    expect(file).toContain('/** Second. */\n  tokenRef?: TokenRef;');
  });

  it('are several types if the comments inside differ', async () => {
    const about = REF.replace('name: {type: string}', 'name: {type: string, description: Other.}');
    const file = (await typesOf(definition('A', `{ref: ${REF}, otherRef: ${about}}`))).get('example.com/v1.ts') ?? '';
    expect(file).toContain('ref?: Ref;');
    expect(file).toContain('otherRef?: OtherRef;');
  });

  it('have names that do not depend on the order of definitions', async () => {
    const one = definition('A', `{ref: ${REF}, deep: {type: object, properties: {ref: ${OTHER_REF}}}}`);
    const two = definition('B', `{ref: ${OTHER_REF.replace('string', 'integer')}}`);
    const files = await typesOf(one + two);
    expect([...(await typesOf(two + one))]).toEqual([...files]);
    expect(files.get('example.com/v1.ts')?.match(/^export interface (?!.*List).*/gm)).toEqual([
      'export interface A {',
      'export interface ASpec {',
      'export interface Deep {',
      'export interface Ref {',
      'export interface DeepRef {',
      'export interface B {',
      'export interface BSpec {',
      'export interface SpecRef {',
    ]);
  });

  it('do not hide global types, and names such as Spec get the name before them', async () => {
    const text = definition(
      'Record',
      `{records: {type: array, items: ${REF}}, template: {type: object, properties: {spec: ${OTHER_REF}}}, none: {type: object}}`,
    );
    const file = (await typesOf(text)).get('example.com/v1.ts') ?? '';
    expect(file).toContain('records?: SpecRecord[];');
    expect(file).toContain('spec?: TemplateSpec;');
    expect(file).toContain('none?: { [key: string]: never };');
  });

  it('have the values of enumerations, also of numbers and null', async () => {
    const text = definition(
      'A',
      '{a: {type: integer, enum: [1, 2]}, b: {type: string, nullable: true, enum: [x, null]}}',
    );
    const file = (await typesOf(text)).get('example.com/v1.ts') ?? '';
    expect(file).toContain('a?: 1 | 2;');
    expect(file).toContain('b?: "x" | null;');
  });

  it('have an optional field for a default, also if it is required', async () => {
    const text = definition('A', '{a: {type: integer, default: 1}, b: {type: integer}}, required: [a, b]');
    const file = (await typesOf(text)).get('example.com/v1.ts') ?? '';
    expect(file).toContain('a?: number;');
    expect(file).toContain('b: number;');
  });

  it('keep unknown fields where the server does', async () => {
    const keep = 'x-kubernetes-preserve-unknown-fields: true';
    const text = definition(
      'A',
      `{a: {type: array, ${keep}, items: {type: object}}, b: {type: array, ${keep}, items: ${REF}}, c: ${REF}}`,
    );
    const file = (await typesOf(text)).get('example.com/v1.ts') ?? '';
    expect(file).toContain('a?: { [key: string]: unknown }[];');
    expect(file).toContain('export interface BItem {\n  key?: string;\n  name?: string;\n  [key: string]: unknown;\n}');
    expect(file).toContain('export interface C {\n  key?: string;\n  name?: string;\n}');
  });

  it('extend the object types of @kubernetes/client-node by an option', async () => {
    const files = await typesOf(CRON_TAB, { metadata: 'client-node' });
    expect([...files.keys()]).toEqual(['stable.example.com/v1.ts']);
    const file = files.get('stable.example.com/v1.ts') ?? '';
    expect(file).toContain("V1ObjectMeta } from '@kubernetes/client-node';");
    expect(file).toContain('export interface CronTab extends KubernetesObject {');
    expect(file).toContain('export interface CronTabList extends KubernetesListObject<CronTab> {');
    expect(file).toContain('metadata: V1ObjectMeta;');
    expect(file).toContain('metadata: V1ListMeta;');
  });
});
