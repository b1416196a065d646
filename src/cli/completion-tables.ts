/** The tables of commands, flags and values as shell functions. The scripts of bash and zsh contain them. */
import type { CompletionNode } from './completion-model.ts';
import type { CompletionValues } from './completion-values.ts';

/** Returns functions that print the children, flags, operands and values for a path, and one that tests a flag. */
export function nodeTables(nodes: readonly CompletionNode[]): string {
  const withValues = new Set<string>();
  const values: [string, string][] = [];
  for (const { path, flags } of nodes)
    for (const flag of flags) {
      if (flag.values === undefined) continue;
      for (const name of flag.names) withValues.add(name);
      const printed = formatValues(flag.values);
      if (printed !== '') values.push([flag.names.map((name) => quote(`${path}:${name}`)).join(' | '), printed]);
    }
  return [
    table(
      '_keelson_children',
      nodes.map(({ path, children }) => [quote(path), children.map(({ name }) => name).join(' ')]),
    ),
    table(
      '_keelson_flags',
      nodes.map(({ path, flags }) => [quote(path), flags.flatMap(({ names }) => names.filter(isLong)).join(' ')]),
    ),
    table(
      '_keelson_operands',
      nodes.map(({ path, operands }) => [quote(path), formatValues(operands)]),
    ),
    table('_keelson_values', values),
    `_keelson_takes_value() {\n  case $1 in\n    ${[...withValues].sort().join(' | ')}) return 0 ;;\n    *) return 1 ;;\n  esac\n}`,
  ].join('\n');
}

function table(name: string, rows: readonly (readonly [pattern: string, text: string])[]): string {
  const cases = rows
    .filter(([, text]) => text !== '')
    .map(([pattern, text]) => `    ${pattern}) echo ${quote(text)} ;;`);
  return [`${name}() {`, '  case $1 in', ...cases, '  esac', '}'].join('\n');
}

/** Formats the kind of the values and the words: `words lmdb memory`, `list RBAC Node`, `file`, `folder`. */
function formatValues(values: CompletionValues): string {
  if (values.kind === 'none') return '';
  return values.kind === 'words' ? `${values.isList ? 'list' : 'words'} ${values.words.join(' ')}` : values.kind;
}

function isLong(name: string): boolean {
  return name.startsWith('--');
}

/** Quotes a text so that a shell takes it as one word. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
