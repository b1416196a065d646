/**
 * The type checking of a ValidatingAdmissionPolicy: its expressions are compiled against the types of the kinds that
 * its rules name, and against the type of its parameters. Texts are those of kube-controller-manager. Warnings change
 * nothing about the evaluation of the policy.
 */
import { formatGvk, type GroupVersionKind, gvkOf } from '../../../apimachinery/meta/gvk.ts';
import { objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import type { CelType } from '../../../cel/types.ts';
import { ExpressionCompiler, type ExpressionScope } from '../../expression-compiler.ts';
import type { FoundType } from './openapi-types.ts';

export interface ExpressionWarning {
  /** `spec.validations[0].expression`. */
  readonly fieldRef: string;
  readonly warning: string;
}

/** The kinds that the server serves. */
export interface KindTypes {
  /** Returns the kinds of a resource in a version. The group '' stands for any group, as in a RESTMapper. */
  kindsOf(group: string, version: string, resource: string): readonly GroupVersionKind[];
  /** Returns undefined for a kind that is not served. */
  typeOf(kind: GroupVersionKind): Promise<FoundType | undefined>;
}

/** The limit of kube-controller-manager, counted per rule. */
const MAX_TYPES = 10;

/** Returns the warnings in the order of the expressions. Rejects if the types cannot be read. */
export async function checkPolicyTypes(policy: JsonObject, types: KindTypes): Promise<readonly ExpressionWarning[]> {
  const compilers = await compilersOf(policy, types);
  return objectsAt(policy, 'spec', 'validations').flatMap((validation, i) =>
    ['expression', 'messageExpression'].flatMap((field) => {
      const source = textAt(validation, field);
      const warning = source === '' ? '' : warningOf(source, compilers);
      return warning === '' ? [] : [{ fieldRef: `spec.validations[${i}].${field}`, warning }];
    }),
  );
}

interface KindCompiler {
  readonly kind: GroupVersionKind;
  readonly compiler: ExpressionCompiler;
  readonly scope: ExpressionScope;
}

function warningOf(source: string, compilers: readonly KindCompiler[]): string {
  return compilers
    .flatMap(({ kind, compiler, scope }) => {
      const issues = compiler.issuesOf(source, scope);
      return issues === undefined ? [] : [`${formatGvk(kind)}: ${issues}\n`];
    })
    .join('\n');
}

async function compilersOf(policy: JsonObject, types: KindTypes): Promise<readonly KindCompiler[]> {
  const paramKind = objectAt(policy, 'spec', 'paramKind');
  const scope: ExpressionScope = { params: paramKind !== undefined, authorizer: true };
  const params =
    paramKind && (await types.typeOf(gvkOf(textAt(paramKind, 'apiVersion'), textAt(paramKind, 'kind'))))?.type;
  const variables = objectsAt(policy, 'spec', 'variables');
  const made: KindCompiler[] = [];
  for (const kind of kindsToCheck(policy, types)) {
    const found = await types.typeOf(kind);
    if (found === undefined) continue;
    made.push({ kind, compiler: compilerOf(found.type, params, variables, scope), scope });
  }
  return made;
}

function compilerOf(
  object: CelType | undefined,
  params: CelType | undefined,
  variables: readonly JsonObject[],
  scope: ExpressionScope,
): ExpressionCompiler {
  const compiler = new ExpressionCompiler(true, { object, params });
  for (const variable of variables)
    compiler.declareVariable(textAt(variable, 'name'), textAt(variable, 'expression'), scope);
  return compiler;
}

/** Rules with a wildcard in groups or versions, and resources with one, are skipped, and so are subresources. */
function kindsToCheck(policy: JsonObject, types: KindTypes): readonly GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  for (const rule of objectsAt(policy, 'spec', 'matchConstraints', 'resourceRules')) {
    let count = 0;
    for (const kind of kindsOfRule(rule, types)) {
      kinds.set(formatGvk(kind), kind);
      if (++count === MAX_TYPES) return sorted(kinds);
    }
  }
  return sorted(kinds);
}

function kindsOfRule(rule: JsonObject, types: KindTypes): readonly GroupVersionKind[] {
  const [groups, versions] = [textsAt(rule, 'apiGroups'), textsAt(rule, 'apiVersions')];
  if ([...groups, ...versions].some((name) => name.includes('*'))) return [];
  const resources = textsAt(rule, 'resources').filter((name) => !/[*/]/.test(name));
  const ordered = (names: readonly string[]): readonly string[] => [...names].sort(compareUtf8);
  return ordered(groups).flatMap((group) =>
    ordered(versions).flatMap((version) =>
      ordered(resources).flatMap((resource) => types.kindsOf(group, version, resource)),
    ),
  );
}

/** By group, version and kind. */
function sorted(kinds: ReadonlyMap<string, GroupVersionKind>): readonly GroupVersionKind[] {
  return [...kinds.values()].sort(
    (a, b) => compareUtf8(a.group, b.group) || compareUtf8(a.version, b.version) || compareUtf8(a.kind, b.kind),
  );
}
