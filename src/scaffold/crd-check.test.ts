import { describe, expect, it } from 'vitest';
import { definitionConflicts } from './crd-conflicts.ts';
import { CRON_TAB, checkText, places } from './scaffold.fixtures.ts';

describe('crd check', () => {
  it('reports no error for a valid definition, but the cost of its rules', async () => {
    const [checked] = await checkText(CRON_TAB);
    expect(checked?.findings).toEqual([]);
    expect(checked?.costs.map(({ version, cost, place, rule }) => [version, cost, place.line, rule])).toEqual([
      ['v1', 3, 23, 'self.replicas < 10'],
    ]);
  });

  it('reports every problem with its line and column', async () => {
    const broken = CRON_TAB.replace('served: true', 'served: true\n      servd: true')
      .replace('self.replicas < 10', 'self.repicas < 10')
      .replace('name: crontabs.stable', 'name: crontab.stable');
    const [checked] = await checkText(broken);
    expect(places(checked?.findings ?? []).map((text) => text.split('\n')[0]?.slice(0, 100))).toEqual([
      '13:7 unknown field "spec.versions[0].servd"; did you mean "served"?',
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
    const [rules] = await checkText(annotated('keelson.dev/conversion: "[{from: v1, to: v2, fields: []}]"'));
    expect(places(rules?.findings ?? [])).toEqual([
      expect.stringMatching(/^8:5 .*Invalid value: "v2": is not a version of the definition; its versions are v1$/),
    ]);
    const [misspelt] = await checkText(annotated('keelson.dev/converson: "[]"'));
    expect(places(misspelt?.findings ?? [])).toEqual([
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
    const checked = await checkText(`${CRON_TAB}---\n${listed}\n---\n# nothing\n`);
    expect(checked.map(({ crd, findings }) => [crd?.name, findings])).toEqual([
      ['crontabs.stable.example.com', []],
      ['networks.kubernetes.io', []],
    ]);
  });

  it('reports every field of a wrong type with its place, in words of its own', async () => {
    const broken = CRON_TAB.replace('name: crontabs.stable.example.com', 'name: 5')
      .replace('group: stable.example.com', 'group: [a]')
      .replace('served: true', 'served: "yes"')
      .replace('storage: true', 'storage: 1\n      strange: 1')
      .replace('additionalProperties: {type: string}', 'additionalProperties: 3')
      .replace('type: integer, default: 1', 'type: integer, minimum: low');
    const [checked] = await checkText(broken);
    expect(checked?.crd).toBeUndefined();
    expect(places(checked?.findings ?? [])).toEqual([
      '5:3 metadata.name: must be a string, not the number 5',
      '7:3 spec.group: must be a string, not a list',
      '12:7 spec.versions[0].served: must be a boolean, not the string "yes"',
      '13:7 spec.versions[0].storage: must be a boolean, not the number 1',
      '14:7 unknown field "spec.versions[0].strange"; did you mean "storage"?',
      expect.stringMatching(/^28:43 spec.*properties\[replicas\].minimum: must be a number, not the string "low"$/),
      expect.stringMatching(/^35:40 .*additionalProperties: must be a schema or a boolean, not the number 3$/),
    ]);
  });

  it('reports a misspelt kind or group instead of ignoring the manifest', async () => {
    const [kind] = await checkText(
      CRON_TAB.replace('kind: CustomResourceDefinition', 'kind: CustomResourceDefinitoin'),
    );
    expect(places(kind?.findings ?? [])).toEqual([
      '3:1 kind: must be CustomResourceDefinition in the group apiextensions.k8s.io',
    ]);
    const [group] = await checkText(CRON_TAB.replace('apiextensions.k8s.io/v1', 'apiextensions/v1'));
    expect(places(group?.findings ?? [])).toEqual([
      '2:1 apiVersion: must be apiextensions.k8s.io/v1 or apiextensions.k8s.io/v1beta1',
    ]);
  });

  it('drops the status, as a create does', async () => {
    const [checked] = await checkText(`${CRON_TAB}status: {storedVersions: [v7]}\n`);
    expect(checked?.findings).toEqual([]);
  });
});

describe('conflicts of definitions', () => {
  it('are a name that is defined twice and names that are taken within the group', async () => {
    const other = CRON_TAB.replace('crontabs.stable', 'timers.stable')
      .replace('plural: crontabs', 'plural: timers')
      .replace('singular: crontab,', 'singular: timer,');
    const elsewhere = CRON_TAB.replaceAll('stable.example.com', 'other.example.com');
    const checked = await checkText([CRON_TAB, CRON_TAB, other, elsewhere].join('---\n'));
    expect(places(definitionConflicts(checked))).toEqual([
      '40:3 crontabs.stable.example.com is defined already at <stdin>:5',
      '78:3 the names of timers.stable.example.com would not be accepted: "CronTabList" is already in use',
    ]);
  });
});
