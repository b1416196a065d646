/** The completion script for zsh. It shows the help of commands and flags beside their names. */
import type { CompletionNode } from './completion-model.ts';
import { nodeTables, quote } from './completion-tables.ts';

export function zshCompletion(nodes: readonly CompletionNode[]): string {
  return `#compdef keelson
# Completion of keelson for zsh. Load it with: source <(keelson completion zsh)
${nodeTables(nodes)}
_keelson_described_children() {
  case $1 in
${nodes.map(({ path, children }) => described(path, children)).join('')}  esac
}
_keelson_described_flags() {
  case $1 in
${nodes
  .map(({ path, flags }) =>
    described(
      path,
      flags.map(({ names, help }) => ({ name: names[0] ?? '', help })),
    ),
  )
  .join('')}  esac
}
_keelson() {
  local path_='' flag='' word i
  local -a reply_ words_
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $flag ]]; then flag=''; continue; fi
    if [[ $word == -* ]]; then
      if [[ $word != *=* ]] && _keelson_takes_value $word; then flag=$word; fi
    elif [[ " $(_keelson_children "$path_") " == *" $word "* ]]; then
      path_=\${path_:+$path_ }$word
    fi
  done
  local cur=$words[CURRENT] spec=''
  if [[ -z $flag && $cur == -*=* ]]; then
    flag=\${cur%%=*}
    compset -P '*='
  fi
  if [[ -n $flag ]]; then
    spec=$(_keelson_values "$path_:$flag")
  elif [[ $cur == -* ]]; then
    _keelson_described_flags "$path_"
    _describe -o flag reply_
    return
  elif [[ -n $(_keelson_children "$path_") ]]; then
    _keelson_described_children "$path_"
    _describe command reply_
    return
  else
    spec=$(_keelson_operands "$path_")
  fi
  words_=(\${=spec#* })
  case $spec in
    words\\ *) compadd -a words_ ;;
    list\\ *) compset -P '*,'; compadd -S '' -a words_ ;;
    file) _files ;;
    folder) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _keelson ]]; then _keelson "$@"; else compdef _keelson keelson; fi
`;
}

/** Returns a `case` branch that sets `reply_` to entries `name:help`, the format of zsh's `_describe`. */
function described(path: string, items: readonly { readonly name: string; readonly help: string }[]): string {
  if (items.length === 0) return '';
  const entries = items.map(({ name, help }) => quote(`${name.replaceAll(':', '\\:')}:${help}`)).join(' ');
  return `    ${quote(path)}) reply_=(${entries}) ;;\n`;
}
