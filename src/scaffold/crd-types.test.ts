import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { crdTypes } from './crd-types.ts';
import { CRON_TAB, checkText } from './scaffold.fixtures.ts';

describe('crd types', () => {
  it('are discriminated by apiVersion and kind', async () => {
    const [checked] = await checkText(CRON_TAB);
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
    const [checked] = await checkText(odd);
    for (const text of crdTypes(checked?.crd === undefined ? [] : [checked.crd]).values())
      await expect(transform(text, { loader: 'ts' })).resolves.toBeDefined();
  });
});
