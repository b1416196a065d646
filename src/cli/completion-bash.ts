/**
 * The completion script for bash 3.2 and newer. It needs no other package. Bash passes `--flag=value` as three words,
 * because `=` is in COMP_WORDBREAKS.
 */
import type { CompletionNode } from './completion-model.ts';
import { nodeTables } from './completion-tables.ts';

export function bashCompletion(nodes: readonly CompletionNode[]): string {
  return `# Completion of keelson for bash. Load it with: source <(keelson completion bash)
${nodeTables(nodes)}
_keelson() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' flag='' word='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $flag && $word == '=' ]]; then continue; fi
    if [[ $flag ]]; then flag=''; continue; fi
    if [[ $word == -* ]]; then
      if _keelson_takes_value "$word" && [[ $word != *=* ]]; then flag=$word; fi
    elif [[ " $(_keelson_children "$path") " == *" $word "* ]]; then
      path=\${path:+$path }$word
    fi
  done
  if [[ $cur == '=' && $flag ]]; then cur=''; fi
  COMPREPLY=()
  local words kind
  if [[ $flag ]]; then
    words=$(_keelson_values "$path:$flag")
  elif [[ $cur == -* ]]; then
    words="words $(_keelson_flags "$path")"
  else
    words="$(_keelson_operands "$path")"
    if [[ $(_keelson_children "$path") ]]; then words="words $(_keelson_children "$path")"; fi
  fi
  kind=\${words%% *}
  words=\${words#"$kind"}
  case $kind in
    words) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
    list)
      local before=''
      if [[ $cur == *,* ]]; then before=\${cur%,*},; fi
      COMPREPLY=($(compgen -P "$before" -W "$words" -- "\${cur##*,}"))
      ;;
    file | folder)
      local IFS=$'\\n'
      if [[ $kind == file ]]; then COMPREPLY=($(compgen -f -- "$cur")); else COMPREPLY=($(compgen -d -- "$cur")); fi
      if type compopt > /dev/null 2>&1; then compopt -o filenames 2> /dev/null; fi
      ;;
  esac
}
complete -F _keelson keelson
`;
}
