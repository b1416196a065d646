/**
 * The generator of random validating policies over a Pod. Every expression compiles, because each part is generated for
 * the wanted type in the environment of policies. Nested macros over long lists exceed the budgets.
 */
import type { JsonObject } from '../../src/base/json-value.ts';
import type { Random } from './random.ts';

/** The types that parts are generated for. `any` is dyn: values of the object. */
type Kind = 'bool' | 'int' | 'text' | 'texts' | 'ints' | 'any';

interface Scope {
  readonly random: Random;
  /** The depth that parts may still have. */
  readonly depth: number;
  /** The variables of macros and of the policy, by type. */
  readonly names: Readonly<Partial<Record<Kind, readonly string[]>>>;
}

const LEAVES: Readonly<Record<Kind, readonly string[]>> = {
  bool: [
    'true',
    'has(object.metadata.labels)',
    'oldObject == null',
    "request.operation == 'CREATE'",
    "'app' in object.metadata.labels",
    "authorizer.group('').resource('pods').check('get').allowed()",
    'authorizer.requestResource.check("update").allowed()',
    "object.spec.nothing == 'x'",
    'request.dryRun == false',
  ],
  int: ['1', '0', '-7', '9223372036854775807', 'size(object.spec.containers)', 'int(object.spec.priority)'],
  text: [
    "'x'",
    "'a longer text with several words'",
    'request.operation',
    'request.userInfo.username',
    'string(object.metadata.name)',
    'string(namespaceObject.metadata.name)',
    "string(object.metadata.?labels[?'none'].orValue('none'))",
  ],
  texts: [
    "['a', 'b', 'c']",
    'request.userInfo.groups',
    "'a,b,c,d,e,f,g,h'.split(',')",
    'object.spec.containers.map(c, string(c.name))',
    'object.spec.containers[0].args.map(a, string(a))',
  ],
  ints: ['[1, 2, 3]', '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]', 'object.spec.containers.map(c, size(c.args))'],
  any: ['object', 'object.spec', 'object.metadata.labels', 'object.spec.containers', 'object.spec.containers[0].name'],
};

type Rule = (part: (kind: Kind, names?: Scope['names']) => string, name: string) => string;

const RULES: Readonly<Record<Kind, readonly Rule[]>> = {
  bool: [
    (part) => `(${part('bool')} && ${part('bool')})`,
    (part) => `(${part('bool')} || ${part('bool')})`,
    (part) => `!(${part('bool')})`,
    (part) => `(${part('int')} <= ${part('int')})`,
    (part) => `(${part('text')} == ${part('text')})`,
    (part) => `(${part('any')} != ${part('any')})`,
    (part) => `${part('text')}.contains(${part('text')})`,
    (part) => `${part('text')}.matches('^(a|b)*[a-z]+$')`,
    (part) => `(${part('text')} in ${part('texts')})`,
    (part, name) => `${part('ints')}.all(${name}, ${part('bool', { int: [name] })})`,
    (part, name) => `${part('texts')}.exists(${name}, ${part('bool', { text: [name] })})`,
    (part, name) => `${part('texts')}.exists_one(${name}, ${part('bool', { text: [name] })})`,
    (part, name) => `object.spec.containers.all(${name}, ${part('bool', { any: [name] })})`,
    (part) => `(${part('bool')} ? ${part('bool')} : ${part('bool')})`,
  ],
  int: [
    (part) => `(${part('int')} + ${part('int')})`,
    (part) => `(${part('int')} * ${part('int')})`,
    (part) => `(${part('int')} / ${part('int')})`,
    (part) => `size(${part('texts')})`,
    (part) => `${part('text')}.indexOf(${part('text')})`,
    (part) => `${part('ints')}.sum()`,
    (part) => `(${part('bool')} ? ${part('int')} : ${part('int')})`,
  ],
  text: [
    (part) => `(${part('text')} + ${part('text')})`,
    (part) => `string(${part('int')})`,
    (part) => `${part('text')}.lowerAscii()`,
    (part) => `${part('text')}.replace('a', ${part('text')})`,
    (part) => `${part('texts')}.join(${part('text')})`,
    (part) => `(${part('bool')} ? ${part('text')} : ${part('text')})`,
  ],
  texts: [
    (part) => `(${part('texts')} + ${part('texts')})`,
    (part, name) => `${part('texts')}.map(${name}, ${part('text', { text: [name] })})`,
    (part, name) => `${part('texts')}.filter(${name}, ${part('bool', { text: [name] })})`,
    (part) => `${part('text')}.split('')`,
    (part) => `[${part('text')}, ${part('text')}]`,
  ],
  ints: [
    (part) => `(${part('ints')} + ${part('ints')})`,
    (part, name) => `${part('ints')}.map(${name}, ${part('int', { int: [name] })})`,
    (part, name) => `${part('texts')}.map(${name}, ${part('int', { text: [name] })})`,
  ],
  any: [
    (part) => `dyn(${part('texts')})`,
    (part) => `dyn({${part('text')}: ${part('int')}})`,
    (part) => `[dyn(${part('int')}), dyn(${part('text')})]`,
  ],
};

/** Loops inside loops, whose cost is a power of the length of the list. */
function nested(random: Random, body: string): string {
  const lists = [
    'object.spec.containers',
    'object.spec.containers[0].args',
    "'abcdefghijklmnopqrstuvwxyz'.split('')",
    'variables.many',
  ];
  let made = body;
  for (let i = 1 + random.int(5); i > 0; i--) {
    const macro = random.pick(['all', 'exists', 'exists_one']);
    made = `${random.pick(lists)}.${macro}(n${i}, ${macro === 'all' ? made : `!(${made})`})`;
  }
  return made;
}

function generate(kind: Kind, scope: Scope): string {
  const { random, depth, names } = scope;
  const leaves = [...LEAVES[kind], ...(names[kind] ?? []), ...(names[kind] ?? [])];
  if (depth === 0 || random.int(6) === 0) return random.pick(leaves);
  const part = (wanted: Kind, more: Scope['names'] = {}): string => {
    const merged = {
      ...names,
      ...Object.fromEntries(Object.entries(more).map(([k, v]) => [k, [...(names[k as Kind] ?? []), ...v]])),
    };
    return generate(wanted, { random, depth: depth - 1, names: merged });
  };
  return random.pick(RULES[kind])(part, `v${depth}`);
}

/** Returns a policy with variables, conditions, validations with messages, and annotations. */
export function generatePolicy(random: Random): JsonObject {
  const conditions = { random, depth: 3, names: {} };
  const scope: Scope = {
    random,
    depth: 2 + random.int(4),
    names: { texts: ['variables.many'], int: ['variables.count'] },
  };
  const bool = (): string => (random.int(3) === 0 ? nested(random, generate('bool', scope)) : generate('bool', scope));
  const list = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
  return {
    metadata: { name: 'p' },
    spec: {
      variables: [
        { name: 'many', expression: generate('texts', conditions) },
        { name: 'count', expression: 'size(variables.many) + 1' },
      ],
      matchConditions: list(random.int(2), (i) => ({ name: `c${i}`, expression: generate('bool', conditions) })),
      validations: list(1 + random.int(12), () => ({
        expression: bool(),
        ...(random.int(2) === 0 && { messageExpression: generate('text', conditions) }),
      })),
      auditAnnotations: list(random.int(3), (i) => ({ key: `k${i}`, valueExpression: generate('text', scope) })),
    },
  };
}
