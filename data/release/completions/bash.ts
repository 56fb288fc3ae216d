import { type CompletionTable, fileMark, freeMark } from './table.ts'

/** Works in bash 3.2, which macOS has, and needs no other package. */
export const bashCompletion = ({ steps, places }: CompletionTable): string => `\
# Completion of tollgate for bash: source this file, or copy it to
# ~/.local/share/bash-completion/completions/tollgate
_tollgate() {
  local at='' value='' words='' files='' word i
  local cur=\${COMP_WORDS[COMP_CWORD]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then continue; fi
    if [[ -n $value ]]; then value=''; continue; fi
    case "$at:$word" in
${steps.map(({ at, word, next, value }) => `    ${quoted(`${at}:${word}`)}) ${next === undefined ? `value=${quoted(value ?? '')}` : `at=${quoted(next)}`} ;;`).join('\n')}
    esac
  done
  if [[ $cur == '=' ]]; then cur=''; fi
  case $value in
  '')
    case $at in
${places.map(({ at, words, takesFiles }) => `    ${quoted(at)}) words=${quoted(words.map(({ word }) => word).join(' '))}${takesFiles ? ' files=yes' : ''} ;;`).join('\n')}
    esac
    # Options only for those who begin one, where there is anything else.
    if [[ $cur != -* && $words != -* ]]; then words=\${words%% -*}; fi
    ;;
  '${fileMark}') files=yes ;;
  '${freeMark}') ;;
  *) words=$value ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$cur"))
  fi
}
complete -F _tollgate tollgate
`

/** A word as all POSIX shells take it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
