/**
 * The implementation of environments. The declarations of libraries are collected once and shared by all environments
 * that `extend` creates, because definitions have thousands of rules that differ only in the types of their variables.
 */
import type { CelIssue } from './ast.ts';
import { checkExpression } from './check/checker.ts';
import { collectDeclarations, type Declarations } from './check/declarations.ts';
import { Names } from './check/resolve-names.ts';
import { checkArguments, checkHomogeneous } from './check/validate-literals.ts';
import { compileProgram } from './compile-program.ts';
import type { CheckedExpression, CheckResult, Environment, EnvironmentOptions, Program } from './environment.ts';
import { parse } from './parse/parser.ts';
import type { ParseResult, ParserOptions } from './parse/parser-options.ts';
import { STANDARD_MACROS } from './parse/standard-macros.ts';

/**
 * Creates an environment with the given libraries and the standard macros. Throws BugError if overloads of the
 * libraries conflict.
 */
export function createEnvironment(options: EnvironmentOptions): Environment {
  return new SharedEnvironment(options, collectDeclarations(options.libraries, STANDARD_MACROS));
}

class SharedEnvironment implements Environment {
  readonly #options: EnvironmentOptions;
  readonly #declarations: Declarations;
  readonly #syntax: ParserOptions;
  /** Created on first use: most environments of a definition never check a source. */
  #names: Names | undefined;

  constructor(options: EnvironmentOptions, declarations: Declarations) {
    this.#options = options;
    this.#declarations = declarations;
    this.#syntax = {
      macros: declarations.macros,
      optionalSyntax: declarations.optionalSyntax,
      escapedFields: options.escapedFields ?? false,
    };
  }

  parse(source: string): ParseResult {
    return parse(source, this.#syntax);
  }

  check(source: string): CheckResult {
    const parsed = this.parse(source);
    if (!parsed.ok) return parsed;
    this.#names ??= new Names(this.#declarations, this.#options);
    const result = checkExpression(source, parsed.expr, this.#names);
    if (!result.ok) return result;
    const issues = this.#validate(result.checked);
    return issues.length === 0 ? result : { ok: false, issues };
  }

  program(checked: CheckedExpression): Program {
    return compileProgram(checked);
  }

  extend(options: Pick<EnvironmentOptions, 'variables' | 'types' | 'findType'>): Environment {
    return new SharedEnvironment({ ...this.#options, ...options }, this.#declarations);
  }

  #validate(checked: CheckedExpression): readonly CelIssue[] {
    const issues: CelIssue[] = [];
    const issue = (issue: CelIssue): void => {
      issues.push(issue);
    };
    const { homogeneousLiterals = true, validateLiterals = true } = this.#options;
    const { mixedLiteralsIn, validators } = this.#declarations;
    if (homogeneousLiterals) checkHomogeneous(checked, mixedLiteralsIn, issue);
    if (validateLiterals) {
      checkArguments(checked, issue);
      for (const validator of validators) validator(checked, issue);
    }
    return issues.sort((left, right) => left.at - right.at);
  }
}
