import { describe, expect, test } from 'vitest';
import { BOOL, STRING } from '../cel/types.ts';
import {
  APPLIED_OBJECT,
  type CompiledExpression,
  ExpressionCompiler,
  type ExpressionScope,
  PATCH_LIST,
  sharedCompiler,
} from './expression-compiler.ts';

const PLAIN: ExpressionScope = { params: false, authorizer: false };
const MUTATION: ExpressionScope = { params: false, authorizer: false, patches: true };

/** `ok`, or the first line of the message. */
function outcome(compiled: CompiledExpression): string {
  return compiled.ok ? 'ok' : (compiled.message.split('\n')[0] ?? '');
}

describe('an expression', () => {
  const compile = (source: string, scope = PLAIN) => outcome(sharedCompiler().compile(source, scope, [BOOL]));

  test('has the variables of its scope', () => {
    expect(compile('object.spec == oldObject.spec && request.name == namespaceObject.metadata.name')).toBe('ok');
    expect(compile('params.x == 1')).toMatch(/^compilation failed: .*undeclared reference to 'params'/);
    expect(compile('params.x == 1', { params: true, authorizer: false })).toBe('ok');
    expect(compile('authorizer.requestResource.check("get").allowed()', { params: false, authorizer: true })).toBe(
      'ok',
    );
  });

  test('must have one of the result types', () => {
    expect(compile('1')).toBe('must evaluate to bool but got int');
    expect(outcome(sharedCompiler().compile('1', PLAIN, [BOOL, STRING]))).toBe(
      'must evaluate to one of [bool string] but got int',
    );
    expect(outcome(sharedCompiler().compile('1', PLAIN))).toBe('ok');
  });

  test('that fails on every evaluation is an internal error', () => {
    expect(sharedCompiler().compile("int('x') == 1", PLAIN, [BOOL])).toMatchObject({ ok: false, internal: true });
    expect(sharedCompiler().compile('1', PLAIN, [BOOL])).toMatchObject({ ok: false, internal: false });
  });

  test('constructs objects and patches in mutations only', () => {
    const object = 'Object{spec: Object.spec{replicas: 1}}';
    const patch = '[JSONPatch{op: "remove", path: "/x"}]';
    expect(outcome(sharedCompiler().compile(object, MUTATION, [APPLIED_OBJECT]))).toBe('ok');
    expect(outcome(sharedCompiler().compile(patch, MUTATION, [PATCH_LIST]))).toBe('ok');
    expect(outcome(sharedCompiler().compile(object, PLAIN))).toContain('compilation failed');
  });
});

test('a variable is declared with its type for later expressions of the same compiler', () => {
  const compiler = new ExpressionCompiler(true);
  expect(outcome(compiler.compile('variables.x', PLAIN))).toContain("undefined field 'x'");
  expect(outcome(compiler.declareVariable('x', '1', PLAIN))).toBe('ok');
  expect(outcome(compiler.compile('variables.x + 1 == 2', PLAIN, [BOOL]))).toBe('ok');
  expect(outcome(compiler.compile('variables.x == "a"', PLAIN))).toContain('compilation failed');
  expect(outcome(compiler.declareVariable('bad', 'object.', PLAIN))).toContain('compilation failed');
  expect(outcome(compiler.compile('variables.bad == "a"', PLAIN, [BOOL]))).toBe('ok');
  expect(outcome(new ExpressionCompiler(true).compile('variables.x', PLAIN))).toContain("undefined field 'x'");
});
