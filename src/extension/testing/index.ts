/**
 * The entry point `keelson/extension/testing`: the conformance suite that authors of rows run, with any test runner.
 *
 * ```ts
 * import { test } from 'node:test';
 * import { rowsSuite } from 'keelson/extension/testing';
 *
 * for (const { name, run } of await rowsSuite(makeRows)) test(name, run);
 * ```
 */
export { rowsSuite } from '../../server/rows/rows.suite.ts';
export type { MakeRows, RowsCase, RowsSuiteOptions } from '../../server/rows/suite/context.ts';
