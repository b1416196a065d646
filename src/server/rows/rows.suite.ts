/**
 * The conformance suite of `rows.ts`, as data, for any test runner:
 * `for (const { name, run } of await rowsSuite(makeRows)) test(name, run);`
 */
import type { JsonObject } from '../../base/json-value.ts';
import { isWritable, type ReadOnlyRows, type Rows } from './rows.ts';
import { changeCases, sequenceCases } from './suite/change-cases.ts';
import {
  contextOf,
  type MakeRows,
  type RowsCase,
  type RowsCaseDefinition,
  type RowsSuiteOptions,
} from './suite/context.ts';
import { readOnlyCases } from './suite/read-only-cases.ts';
import { valueCases } from './suite/value-cases.ts';
import { writeCases } from './suite/write-cases.ts';

/**
 * Returns the cases that apply to the rows. `makeRows` is called once now, to find out what the rows can do, and once
 * per case. Writable rows must be empty; read-only rows may have any contents. The suite calls their `stop`.
 */
export async function rowsSuite<T extends object = JsonObject>(
  makeRows: MakeRows<ReadOnlyRows<T>>,
  options: RowsSuiteOptions<T> = {},
): Promise<RowsCase[]> {
  const rows = await makeRows();
  const { changes, sequenced } = rows;
  const canWrite = isWritable(rows);
  await rows.stop?.();
  // The suite makes and compares objects as JSON, whatever their type.
  const make = makeRows as unknown as MakeRows<Rows<JsonObject>>;
  if (!canWrite) return readOnlyCases.map((each) => bind<T, ReadOnlyRows>(each, make, options));
  const cases = [...writeCases, ...valueCases];
  if (changes !== undefined) cases.push(...changeCases);
  if (sequenced === true) cases.push(...sequenceCases);
  return cases.map((each) => bind(each, make, options));
}

function bind<T extends object, R extends ReadOnlyRows>(
  { name, run }: RowsCaseDefinition<R>,
  makeRows: MakeRows<R>,
  options: RowsSuiteOptions<T>,
): RowsCase {
  return {
    name,
    run: async () => {
      const rows = await makeRows();
      try {
        await run(contextOf(rows, options));
      } finally {
        await rows.stop?.();
      }
    },
  };
}
