/** Runs cel-go's tests of its parser, its checker and its two-variable macros, which `@bufbuild/cel-spec` contains. */
import { tests as checking } from '@bufbuild/cel-spec/testdata/checking.js';
import { tests as comprehension } from '@bufbuild/cel-spec/testdata/comprehension.js';
import { tests as parsing } from '@bufbuild/cel-spec/testdata/parsing.js';
import { describe, expect, test } from 'vitest';
import { createEnvironment } from './create-environment.ts';
import { checkedDebugString, debugString } from './debug-string.fixtures.ts';
import type { Environment } from './environment.ts';
import { formatIssues } from './issues.ts';
import { OPTIONALS_LIBRARY } from './libraries/optionals.ts';
import { STANDARD_LIBRARY } from './libraries/standard/standard.ts';
import { type CaseSetup, exclusionOf, SPEC_TYPES, setupOf, variablesOf } from './spec.fixtures.ts';

function environmentOf(setup: CaseSetup): Environment {
  return createEnvironment({
    libraries: [
      STANDARD_LIBRARY,
      ...(setup.optionals === true ? [OPTIONALS_LIBRARY] : []),
      { name: 'of the case', functions: setup.functions ?? [] },
    ],
    variables: variablesOf(setup),
    types: SPEC_TYPES,
    container: setup.container ?? '',
    homogeneousLiterals: false,
    validateLiterals: false,
  });
}

const plain = environmentOf({});

/** The tree of a source, or its issues. */
function parsed(source: string): string {
  const result = plain.parse(source);
  return result.ok ? debugString(result.expr) : formatIssues(source, result.issues);
}

function checked(environment: Environment, source: string): string {
  const result = environment.check(source);
  return result.ok ? checkedDebugString(result.checked) : formatIssues(source, result.issues);
}

let excluded = 0;
let run = 0;

describe.each([parsing, checking, comprehension])('$name of cel-go', ({ name, tests = [] }) => {
  for (const [index, { original, ast, checkedAst, error }] of tests.entries()) {
    const source = original.expr;
    const expected = checkedAst ?? error?.replaceAll('ERROR: :', 'ERROR: <input>:') ?? '';
    if (exclusionOf(source, expected) !== undefined) {
      excluded++;
      continue;
    }
    run++;
    test(`case ${index}: ${source.replace(/\s+/g, ' ').slice(0, 80)}`, () => {
      if (ast !== undefined) expect(parsed(source)).toBe(ast);
      // The types in the last suite depend on libraries that Kubernetes does not have.
      if (ast !== undefined && name === comprehension.name) return;
      const environment = name === 'checking' ? environmentOf(setupOf(source, expected)) : plain;
      expect(checked(environment, source)).toBe(expected);
    });
  }
});

test('nearly all cases are run', () => {
  expect({ run, excluded }).toEqual({ run: 383, excluded: 38 });
});
