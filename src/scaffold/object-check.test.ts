import { describe, expect, it } from 'vitest';
import { createObjectChecker, type ObjectVerdict } from './object-check.ts';
import { CRON_TAB, checkText, places, readText } from './scaffold.fixtures.ts';

const OBJECT = `---
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: x}
spec:
  cronSpec: "a b"
  foo: 1
`;

async function verdictsOf(objects: string, definitions = CRON_TAB): Promise<ObjectVerdict[]> {
  const check = createObjectChecker(await checkText(definitions));
  return (await readText(objects)).manifests.map(check);
}

async function findingsOf(objects: string, definitions?: string): Promise<string[]> {
  const verdicts = await verdictsOf(objects, definitions);
  return verdicts.flatMap((verdict) =>
    verdict.outcome === 'checked'
      ? verdict.findings.flatMap((finding) => places([finding]).map((text) => `${finding.kind} ${text}`))
      : [verdict.outcome],
  );
}

describe('the check of objects', () => {
  it('reports those that would be rejected or pruned, with their places', async () => {
    expect(await findingsOf(OBJECT)).toEqual([
      'pruned 7:3 unknown field "spec.foo"',
      'rejected 6:3 spec.cronSpec: Invalid value: "a b": spec.cronSpec in body should match \'^[0-9*]+$\'',
    ]);
  });

  it('reports invalid metadata', async () => {
    const object = OBJECT.replace('{name: x}', '{name: X, labels: {a.b/c: 5}}');
    expect(await findingsOf(object)).toEqual([
      'rejected 4:30 metadata.labels[a.b/c]: must be a string, not the number 5',
    ]);
    expect(await findingsOf(object.replace(': 5', ': "-"'))).toContainEqual(
      expect.stringMatching(/^rejected 4:12 metadata.name: Invalid value: "X"/),
    );
  });

  it('accepts an object without a namespace or with a generated name, and ignores a status that clients cannot set', async () => {
    const definition = CRON_TAB.replace('      schema:', '      subresources: {status: {}}\n      schema:').replace(
      '            spec:',
      '            status: {type: object, properties: {phase: {type: string}}}\n            spec:',
    );
    const object = OBJECT.replace('"a b"', '"*"').replace('  foo: 1\n', '').replace('name: x', 'generateName: x-');
    expect(await findingsOf(`${object}status: {phase: 3}\n`, definition)).toEqual([]);
  });

  it('reports a version that does not exist or is not served', async () => {
    expect(await findingsOf(OBJECT.replace('com/v1', 'com/v2'))).toEqual([
      'rejected 2:1 version "v2" of crontabs.stable.example.com does not exist; served are: v1',
    ]);
    const two = CRON_TAB.replace(
      '    - name: v1\n',
      '    - {name: v0, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n    - name: v1\n',
    );
    expect(await findingsOf(OBJECT.replace('com/v1', 'com/v0'), two)).toEqual([
      'rejected 2:1 version "v0" of crontabs.stable.example.com is not served; served are: v1',
    ]);
  });

  it('does not check objects of other kinds, nor of definitions with problems', async () => {
    expect(await findingsOf(OBJECT.replace('kind: CronTab', 'kind: CronTabs'))).toEqual(['other']);
    expect(await findingsOf('apiVersion: v1\nkind: ConfigMap\n')).toEqual(['other']);
    const broken = CRON_TAB.replace('self.replicas < 10', 'self.repicas < 10');
    expect(await findingsOf(OBJECT, broken)).toEqual(['blocked']);
  });

  it('finds the place of a key with dots', async () => {
    const definition = CRON_TAB.replace(
      'labels: {type: object, additionalProperties: {type: string}}',
      'labels: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}',
    );
    const object = OBJECT.replace('"a b"', '"*"').replace('  foo: 1', '  labels:\n    a.b[0]:\n      x: 1');
    expect(await findingsOf(object, definition)).toEqual([expect.stringMatching(/^pruned 9:7 unknown field/)]);
  });
});
