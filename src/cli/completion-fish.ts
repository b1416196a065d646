/** The completion script for fish. Fish itself parses flags and their values; a function finds the command. */
import type { CompletionFlag, CompletionNode } from './completion-model.ts';
import type { CompletionValues } from './completion-values.ts';

export function fishCompletion(nodes: readonly CompletionNode[]): string {
  const withValues = new Set(
    nodes.flatMap(({ flags }) => flags.flatMap(({ names, values }) => (values === undefined ? [] : names))),
  );
  const children = nodes.filter((node) => node.children.length > 0);
  return `# Completion of keelson for fish. Load it with: keelson completion fish | source
function __keelson_children
    switch "$argv[1]"
${children.map(({ path, children: names }) => `        case ${quote(path)}\n            string split ' ' ${quote(names.map(({ name }) => name).join(' '))}\n`).join('')}    end
end
function __keelson_path
    set -l path
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if string match -q -- '-*' $word
            contains -- $word ${[...withValues].sort().join(' ')}; and set skip 1
        else if contains -- $word (__keelson_children "$path")
            set -a path $word
        end
    end
    echo "$path"
end
function __keelson_at
    test (__keelson_path) = "$argv[1]"
end
complete -c keelson -f
${nodes.flatMap(nodeLines).join('\n')}
`;
}

function nodeLines({ path, children, flags, operands }: CompletionNode): readonly string[] {
  const at = `complete -c keelson -n ${quote(`__keelson_at ${quote(path)}`)}`;
  const lines = children.map(({ name, help }) => `${at} -a ${quote(name)} -d ${quote(help)}`);
  if (children.length === 0 && operands.kind !== 'none') lines.push(`${at} ${valueOptions(operands)}`);
  return [...lines, ...flags.map((flag) => `${at} ${flagOptions(flag)}`)];
}

function flagOptions({ names, help, values }: CompletionFlag): string {
  const shown = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const taken = values === undefined ? [] : [values.kind === 'none' ? '-x' : `-r ${valueOptions(values)}`];
  return [...shown, ...taken, `-d ${quote(help)}`].join(' ');
}

function valueOptions(values: CompletionValues): string {
  switch (values.kind) {
    case 'words':
      return `-f -a ${quote(values.isList ? `(__fish_append , ${values.words.join(' ')})` : values.words.join(' '))}`;
    case 'folder':
      return `-f -a ${quote('(__fish_complete_directories (commandline -ct))')}`;
    default:
      return '-F';
  }
}

/** Quotes a text as fish does: only a quote and a backslash are escaped. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
