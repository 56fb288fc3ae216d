import { quoted } from './bash.ts'
import { type CompletionTable, fileMark, freeMark } from './table.ts'

/** A function that zsh loads from a folder of its `fpath`, by the name `_tollgate`. */
export const zshCompletion = ({ steps, places }: CompletionTable): string => `\
#compdef tollgate
# Completion of tollgate for zsh: copy this file as _tollgate into a folder of $fpath.

_tollgate_step() {
  case "$at:$1" in
${steps.map(({ at, word, next, value }) => `  ${quoted(`${at}:${word}`)}) ${next === undefined ? `value=${quoted(value ?? '')}` : `at=${quoted(next)}`} ;;`).join('\n')}
  esac
}

_tollgate() {
  local at='' value='' files='' word i
  local -a list
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $value ]]; then value=''; else _tollgate_step "$word"; fi
  done
  word=\${words[CURRENT]}
  if [[ -z $value && $word == --*=* ]]; then
    _tollgate_step "\${word%%=*}"
    compset -P '*='
  fi
  case $value in
  '') ;;
  '${fileMark}') _files; return ;;
  '${freeMark}') return 1 ;;
  *) compadd -- \${=value}; return ;;
  esac
  case $at in
${places.map(({ at, words, takesFiles }) => `  ${quoted(at)})${takesFiles ? ' files=yes' : ''} list=(${words.map(({ word, help }) => quoted(help === '' ? word : `${word.replaceAll(':', '\\:')}:${help}`)).join(' ')}) ;;`).join('\n')}
  esac
  # Options only for those who begin one, where there is anything else.
  if [[ $word != -* && \${list[1]} != -* ]]; then list=(\${list:#-*}); fi
  _describe 'tollgate' list
  if [[ -n $files ]]; then _files; fi
}

if [[ $funcstack[1] == _tollgate ]]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`
