import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import { createSchemaChecks } from '../apiextensions/definition/validation/create-schema-checks.ts';
import { type CheckedCrd, checkCrd, isCrd } from './crd-check.ts';
import { crdTypes } from './crd-types.ts';
import { type Manifests, readManifests } from './manifest-files.ts';
import { createObjectChecker } from './object-check.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function read(text: string): Promise<Manifests> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-scaffold-'));
  folders.push(folder);
  await writeFile(join(folder, 'a.yaml'), text);
  return readManifests([folder]);
}

async function check(text: string): Promise<readonly CheckedCrd[]> {
  const tools = { checks: createSchemaChecks(), caBundle: () => undefined };
  return (await read(text)).manifests.filter(isCrd).map((manifest) => checkCrd(manifest, tools));
}

function places(findings: readonly { place: { line: number; column: number }; message: string }[]): string[] {
  return findings.map(({ place: { line, column }, message }) => `${line}:${column} ${message}`);
}

const CRON_TAB = `# a comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList, shortNames: [ct]}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          description: A table of things to do.
          properties:
            spec:
              type: object
              required: [cronSpec]
              x-kubernetes-validations:
                - rule: self.replicas < 10
              properties:
                cronSpec: {type: string, pattern: '^[0-9*]+$'}
                image: {type: string, enum: [a, b]}
                replicas: {type: integer, default: 1}
                ports:
                  type: array
                  items:
                    type: object
                    properties: {port: {x-kubernetes-int-or-string: true}, my-name: {type: string, nullable: true}}
                extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
                labels: {type: object, additionalProperties: {type: string}}
`;

describe('crd check', () => {
  it('reports no error for a valid definition, but the cost of its rules', async () => {
    const [checked] = await check(CRON_TAB);
    expect(checked?.errors).toEqual([]);
    expect(checked?.costs.map(({ version, cost, place, rule }) => [version, cost, place.line, rule])).toEqual([
      ['v1', 3, 23, 'self.replicas < 10'],
    ]);
  });

  it('reports every problem with its line and column', async () => {
    const broken = CRON_TAB.replace('served: true', 'served: true\n      servd: true')
      .replace('self.replicas < 10', 'self.repicas < 10')
      .replace('name: crontabs.stable', 'name: crontab.stable');
    const [checked] = await check(broken);
    expect(places(checked?.errors ?? []).map((text) => text.split('\n')[0]?.slice(0, 100))).toEqual([
      '13:7 unknown field "spec.versions[0].servd"',
      '5:3 metadata.name: Invalid value: "crontab.stable.example.com": must be spec.names.plural+"."+spec.group'.slice(
        0,
        100,
      ),
      '24:19 spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid valu'.slice(
        0,
        100,
      ),
    ]);
  });

  it('reports problems of field rules and misspelt annotations as the server does', async () => {
    const annotated = (text: string): string =>
      CRON_TAB.replace('.com\nspec:', `.com\n  annotations:\n    a: b\n    ${text}\nspec:`);
    const [rules] = await check(annotated('keelson.dev/conversion: "[{from: v1, to: v2, fields: []}]"'));
    expect(places(rules?.errors ?? [])).toEqual([expect.stringMatching(/^8:5 .*there is no version v2/)]);
    const [misspelt] = await check(annotated('keelson.dev/converson: "[]"'));
    expect(places(misspelt?.errors ?? [])).toEqual([
      expect.stringMatching(/^8:5 .*did you mean keelson.dev\/conversion\?$/),
    ]);
  });

  it('finds definitions in lists and streams, in both versions', async () => {
    const listed = JSON.stringify({
      kind: 'List',
      apiVersion: 'v1',
      items: [
        {
          apiVersion: 'apiextensions.k8s.io/v1beta1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'networks.kubernetes.io' },
          spec: {
            group: 'kubernetes.io',
            version: 'v1',
            scope: 'Namespaced',
            names: { plural: 'networks', kind: 'Network' },
          },
        },
      ],
    });
    const checked = await check(`${CRON_TAB}---\n${listed}\n---\n# nothing\n`);
    expect(checked.map(({ crd, errors }) => [crd?.name, errors])).toEqual([
      ['crontabs.stable.example.com', []],
      ['networks.kubernetes.io', []],
    ]);
  });

  it('reports where a file cannot be parsed', async () => {
    const { problems } = await read('a: 1\n---\nb: [\n');
    expect(problems.map(({ place }) => place.line)[0]).toBeGreaterThan(2);
  });

  it('reports the objects that would be rejected or pruned, with their places', async () => {
    const object = `---
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: x}
spec:
  cronSpec: "a b"
  foo: 1
`;
    const [checked] = await check(CRON_TAB);
    const { manifests } = await read(object);
    const verdict = createObjectChecker(checked?.crd === undefined ? [] : [checked.crd])(manifests[0] as never);
    expect(places(verdict?.rejected ?? [])[0]).toBe(
      '6:3 spec.cronSpec: Invalid value: "a b": spec.cronSpec in body should match \'^[0-9*]+$\'',
    );
    expect(places(verdict?.pruned ?? [])).toEqual(['7:3 unknown field "spec.foo"']);
    expect(createObjectChecker([])(manifests[0] as never)).toBeUndefined();
  });
});

describe('crd types', () => {
  it('are discriminated by apiVersion and kind', async () => {
    const [checked] = await check(CRON_TAB);
    const files = crdTypes(checked?.crd === undefined ? [] : [checked.crd]);
    expect([...files.keys()]).toEqual(['stable.example.com/v1.ts', 'meta.ts']);
    expect(
      files.get('stable.example.com/v1.ts')?.replace(' from ', ' FROM '),
    ).toBe(`// Made by \`keelson crd types\`. Changes here are lost.

import type { ListMeta, ObjectMeta } FROM '../meta.ts';

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
  ports?: CronTabSpecPortsItem[];
  replicas?: number;
}

export interface CronTabSpecPortsItem {
  "my-name"?: string | null;
  port?: number | string;
}
`);
  });

  it('are valid TypeScript for any names and descriptions', async () => {
    const odd = CRON_TAB.replace(
      'image:',
      '"9 lives*/": {type: boolean, description: "ends */ here\\nor there"}\n                image:',
    );
    const [checked] = await check(odd);
    for (const text of crdTypes(checked?.crd === undefined ? [] : [checked.crd]).values())
      await expect(transform(text, { loader: 'ts' })).resolves.toBeDefined();
  });
});
