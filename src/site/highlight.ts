import { type ParsedToken, parse } from 'sugar-high/core'
import { lang, languages } from 'sugar-high/lang'
import { copiable } from '../look/copy.ts'
import type { Language } from '../look/language.ts'
import { escapeHtml } from '../look/text.ts'
import { frameWords } from '../look/words.ts'

/** The colours of code. */
export const codeCss =
  'pre i{font-style:normal}pre .comment{color:var(--soft)}pre .string{color:var(--ok)}' +
  'pre .keyword,pre .property,pre .key{color:var(--accent)}pre .class{color:var(--mid)}'

/** Code as HTML with classes for colours; in a language without a grammar, as it is. */
export function highlight(code: string, language: string): string {
  const name = lang(language)
  const grammar = languages.find(({ id }) => id === name)
  if (grammar === undefined) return escapeHtml(code)
  const kinds = coloured[grammar.id] ?? usual
  const lines = parse(code, grammar.config).lines
  return lines
    .map(({ tokens }) =>
      tokens.map((token, at) => tokenHtml(token, tokens[at + 1], kinds)).join(''),
    )
    .join('\n')
}

/** The kinds of tokens that have a colour; `class` has numbers, too. */
const usual = ['comment', 'string', 'keyword', 'class', 'property', 'key']
/** In these, words of a path or an address are no keywords, and parts of one are no numbers. */
const coloured: Readonly<Record<string, readonly string[]>> = {
  shell: ['comment', 'string'],
  yaml: ['comment', 'string', 'key'],
}

function tokenHtml(
  { type, value }: ParsedToken,
  next: ParsedToken | undefined,
  kinds: readonly string[],
): string {
  const kind = type === 'identifier' && next?.value === ':' ? 'key' : type
  const text = escapeHtml(value)
  return kinds.includes(kind) && value !== '' ? `<i class="${kind}">${text}</i>` : text
}

/** A block of code that the keyboard can scroll. */
export const codeBlock = (code: string, language: string): string =>
  `<pre tabindex="0"><code>${highlight(code.replace(/\n+$/, ''), language)}</code></pre>`

/** The same with a button that copies it. */
export const copiedBlock = (code: string, language: string, readers: Language): string =>
  copiable(codeBlock(code, language), frameWords[readers])
