/** The expansion of macro calls during parsing. */
import type { CallExpr, CelIssue, Expr } from '../ast.ts';
import type { Macro } from '../library.ts';
import { ParsingEnded } from './cursor.ts';
import { copyExpr, countNodes, literalAt } from './nodes.ts';

/** The limit of nodes that macros copy. cel-go has no such limit: fifty nested `optMap` never end there. */
const MAX_COPIED = 100_000;

/** Expands the macro calls of one source. */
export class MacroExpander {
  readonly #macros: ReadonlyMap<string, readonly Macro[]>;
  readonly #issues: CelIssue[];
  #copied = 0;

  /** Issues are added to `issues`. */
  constructor(macros: ReadonlyMap<string, readonly Macro[]>, issues: CelIssue[]) {
    this.#macros = macros;
    this.#issues = issues;
  }

  /**
   * Returns the expansion of a macro call, or the call itself if it is not a macro. Throws ParsingEnded if macros copy
   * too many nodes.
   */
  expand(call: CallExpr): Expr {
    const macro = this.#macros
      .get(call.name)
      ?.find(
        ({ member, args }) =>
          member === (call.target !== undefined) && (args === undefined || args === call.args.length),
      );
    if (macro === undefined) return call;
    let fault: CelIssue | undefined;
    const issue = (issue: CelIssue): void => {
      fault = issue;
      this.#issues.push(issue);
    };
    const copy = (expr: Expr): Expr => this.#copy(expr);
    const expansion = macro.expand({ at: call.at, copy, issue }, call.target, call.args);
    return fault === undefined ? (expansion ?? call) : literalAt((fault as CelIssue).at, { type: 'null' });
  }

  /** Chained macros that copy their target double it each time, so copies are limited. */
  #copy(expr: Expr): Expr {
    this.#copied += countNodes(expr);
    if (this.#copied > MAX_COPIED) {
      this.#issues.push({ message: `macros copy too much of the expression: limit ${MAX_COPIED}`, at: -1 });
      throw new ParsingEnded();
    }
    return copyExpr(expr);
  }
}
