import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { fieldSetOf } from '../field-set/field-set.ts';
import { excludeFilter } from '../field-set/set-filter.ts';
import { createFieldManager } from './managed-fields.fixtures.ts';
import { managedFieldsOf } from './object-managed-fields.ts';

const name = fc.constantFrom('a', 'b', 'c', 'größe', '.', '\u{10000}', '\uffee');
const texts = fc.dictionary(name, name);
const item = fc.record({ name, value: name }, { requiredKeys: ['name'] });
const spec = fc.record({ text: name, other: name, items: fc.array(item, { maxLength: 3 }) }, { requiredKeys: [] });
const object = fc.record(
  {
    metadata: fc.record(
      { name: fc.constant('n'), uid: fc.constant(''), labels: texts, annotations: texts },
      { requiredKeys: ['name'] },
    ),
    spec,
    status: texts,
  },
  { requiredKeys: ['metadata'] },
);

it('the creator owns what the updater finds, whichever objects were created before', () => {
  const inOneWalk = createFieldManager();
  // A field below the root that is reset makes a manager use the updater. No object has this one.
  const reset = excludeFilter(fieldSetOf(['status'], ['spec', 'none']));
  const byUpdater = createFieldManager({ resetFields: new Map([['example.com/v1', reset]]) });
  const writer = { manager: 'm', now: '2030-01-01T00:00:00Z' };
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 4 }), (objects) => {
      for (const each of objects) {
        const made = { apiVersion: 'example.com/v1', kind: 'Thing', ...(cloneJson(each as JsonObject) as JsonObject) };
        const same = cloneJson(made as JsonValue) as JsonObject;
        expect(inOneWalk.update(undefined, made, writer)).toBe(byUpdater.update(undefined, same, writer));
        expect(JSON.stringify(managedFieldsOf(made))).toBe(JSON.stringify(managedFieldsOf(same)));
      }
    }),
    { seed: 11, numRuns: 300 },
  );
});
