import { type CompletionTable, fileMark, freeMark } from './table.ts'

/** Needs fish 3 or newer. */
export const fishCompletion = ({ steps, places }: CompletionTable): string => `\
# Completion of tollgate for fish: copy this file to ~/.config/fish/completions/tollgate.fish

function __tollgate_words
    set -l at ''
    set -l value ''
    set -l current (commandline -ct)
    set -l before (commandline -opc)
    set -e before[1]
    if string match -qr '^--[^=]+=' -- $current
        set -a before (string split -m 1 = -- $current)[1]
    end
    for word in $before
        if test -n "$value"
            set value ''
            continue
        end
        switch "$at:$word"
${steps.map(({ at, word, next, value }) => `            case ${quoted(`${at}:${word}`)}\n                set ${next === undefined ? `value ${quoted(value ?? '')}` : `at ${quoted(next)}`}`).join('\n')}
        end
    end
    set -l start (string match -r '^--[^=]+=' -- $current; or echo '')
    switch "$value"
        case ''
            switch "$at"
${places.map(({ at, words, takesFiles }) => `                case ${quoted(at)}\n                    printf '%s\\t%s\\n' ${words.map(({ word, help }) => `${quoted(word)} ${quoted(help)}`).join(' ')}${takesFiles ? '\n                    __fish_complete_path $current' : ''}`).join('\n')}
            end
        case '${fileMark}'
            for path in (__fish_complete_path (string replace -- "$start" '' $current))
                echo "$start$path"
            end
        case '${freeMark}'
        case '*'
            for choice in (string split ' ' -- $value)
                echo "$start$choice"
            end
    end
end

complete -c tollgate -f -a '(__tollgate_words)'
`

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
