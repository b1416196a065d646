/**
 * The resolution of names without types, for cases of the specification that switch the checker off. An undeclared name
 * becomes a variable without a value, which fails when it is evaluated.
 */
import type { Expr } from './ast.ts';
import type { CheckedExpression, Reference, Variable } from './environment.ts';
import type { Library, Overload } from './library.ts';
import { DYN } from './types.ts';
import { CelError } from './values.ts';

/** The index of a variable that no evaluation sets. */
const UNSET = Number.MAX_SAFE_INTEGER;

const UNKNOWN: Overload = {
  id: 'unknown',
  params: [],
  result: DYN,
  evaluate() {
    throw new CelError('no such overload');
  },
};

export function uncheckedExpression(
  source: string,
  expr: Expr,
  libraries: readonly Library[],
  variables: readonly Variable[],
): CheckedExpression {
  const references = new Map<Expr, Reference>();
  const functions = libraries.flatMap((library) => library.functions);
  const constants = libraries.flatMap((library) => library.constants ?? []);

  const name = (node: Expr, text: string, locals: readonly string[]): void => {
    const index = variables.findIndex((variable) => variable.name === text);
    const constant = constants.find((each) => each.name === text);
    if (locals.includes(text)) references.set(node, { kind: 'local', name: text });
    else if (index < 0 && constant !== undefined) references.set(node, { kind: 'constant', value: constant.value });
    else references.set(node, { kind: 'variable', index: index < 0 ? UNSET : index, name: text });
  };

  const visit = (node: Expr, locals: readonly string[]): void => {
    switch (node.kind) {
      case 'literal':
        return;
      case 'ident':
        name(node, node.name, locals);
        return;
      case 'select':
        visit(node.operand, locals);
        return;
      case 'call': {
        const args = node.target === undefined ? node.args : [node.target, ...node.args];
        for (const arg of args) visit(arg, locals);
        const overloads = functions
          .filter((each) => each.name === node.name)
          .flatMap((each) => each.overloads)
          .filter(
            (each) => (each.member ?? false) === (node.target !== undefined) && each.params.length === args.length,
          );
        references.set(node, { kind: 'overloads', overloads: overloads.length === 0 ? [UNKNOWN] : overloads });
        return;
      }
      case 'list':
        for (const element of node.elements) visit(element, locals);
        return;
      case 'map':
        for (const entry of node.entries) {
          visit(entry.key, locals);
          visit(entry.value, locals);
        }
        return;
      case 'struct':
        for (const field of node.fields) visit(field.value, locals);
        return;
      case 'comprehension': {
        const inside = [...locals, node.variable, node.variable2, node.accumulator];
        visit(node.range, locals);
        visit(node.init, locals);
        visit(node.condition, inside);
        visit(node.step, inside);
        visit(node.result, inside);
      }
    }
  };

  visit(expr, []);
  return { source, expr, type: DYN, types: new Map(), references };
}
