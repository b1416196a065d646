/** The rules in the decision record of field rules pass the checks of the server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkFieldRules } from '../src/apiextensions/conversion/fields/check-field-rules.ts';
import { FIELD_RULES_ANNOTATION } from '../src/apiextensions/conversion/fields/field-rules.ts';
import { BOOLEAN, INTEGER, TEXT, version } from '../src/apiextensions/conversion/fields/fields.fixtures.ts';
import { readYaml } from '../src/apimachinery/codec/yaml/yaml.ts';
import { textAt } from '../src/apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../src/base/json-value.ts';
import { ROOT } from './source-graph.ts';

it('the example of the decision record is accepted', () => {
  const record = readFileSync(join(ROOT, 'docs', 'decisions', '0025-conversion-by-field-rules.md'), 'utf8');
  const block = /```yaml\n([\s\S]*?)```/.exec(record)?.[1] ?? '';
  const read = readYaml(block);
  if (!read.ok) throw read.error;
  const rules = textAt(read.value as JsonObject, 'metadata', 'annotations', FIELD_RULES_ANNOTATION);
  const v1beta1 = version('v1beta1', { cron: TEXT, size: INTEGER, legacy: TEXT }, 'cron');
  const v1 = version('v1', { schedule: TEXT, replicas: INTEGER, suspend: BOOLEAN }, 'schedule');
  expect(checkFieldRules(rules, [v1beta1, v1])).toEqual([]);
});
