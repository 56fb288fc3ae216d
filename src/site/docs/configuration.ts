import type { Language } from '../../look/language.ts'
import { escapeHtml } from '../../look/text.ts'
import { codeBlock, copiedBlock } from '../highlight.ts'
import type { DocsContent } from './frame.ts'
import { headingHtml, type Section } from './guide/markdown.ts'
import { kindIn, said } from './in-chinese.ts'
import { docsWords } from './words.ts'

/** A key of tollgate.yaml. */
export interface ConfigKey {
  /** Such as `channels[].timeouts.connect`. */
  readonly path: string
  readonly type: string
  /** How its value is written. */
  readonly format: string | null
  /** The values that it may have; empty: any of its type. */
  readonly words: readonly string[]
  readonly isRequired: boolean
  readonly isSecret: boolean
  /** What holds without it. */
  readonly usual: string | null
  readonly meaning: string
  /** A line of YAML. */
  readonly example: string | null
}

/** A key at the top of the file, with all within it. */
export interface ConfigSection {
  readonly key: string
  readonly meaning: string
  /** YAML. */
  readonly example: string
  readonly keys: readonly ConfigKey[]
}

/** The reference of tollgate.yaml as a page. */
export function configurationPage(
  sections: readonly ConfigSection[],
  language: Language,
): DocsContent {
  const words = docsWords[language]
  const html = sections.map((section) => sectionHtml(section, language)).join('')
  return {
    title: words.configuration,
    description: words.configurationAbout,
    headings: sections.map(({ key }) => ({ id: key, text: key, depth: 2 })),
    html: `<h1>${words.configuration}</h1><p>${escapeHtml(words.configurationAbout)}</p>${html}`,
  }
}

function sectionHtml({ key, meaning, example, keys }: ConfigSection, language: Language) {
  const heading = headingHtml({ id: key, depth: 2, html: `<code>${escapeHtml(key)}</code>` })
  const rows = keys.map((one) => keyHtml(one, language)).join('')
  const links = keys.map(({ path }) => {
    const name = path.slice(path.indexOf('.') + 1)
    return `<a href="#${escapeHtml(keyId(path))}"><code>${escapeHtml(name)}</code></a>`
  })
  const index = keys.length < 4 ? '' : `<p class="index">${links.join(' ')}</p>`
  return `${heading}<p>${escapeHtml(said(meaning, language))}</p>${copiedBlock(example, 'yaml', language)}${index}<dl class="keys">${rows}</dl>`
}

/** The anchor of a key: `server.max_body` as `server-max_body`. */
export const keyId = (path: string): string => path.replace(/\[\]/g, '').replaceAll('.', '-')

function keyHtml(key: ConfigKey, language: Language): string {
  const words = docsWords[language]
  const id = escapeHtml(keyId(key.path))
  // A section that is a value itself has the anchor of its heading.
  const isSection = !key.path.includes('.')
  const code = (text: string) => `<code>${escapeHtml(text)}</code>`
  const marks = [
    escapeHtml(kindIn(key.type, language)),
    ...(key.isRequired ? [`<b>${words.required}</b>`] : []),
    ...(key.isSecret ? [words.secret] : []),
    ...(key.usual === null ? [] : [`${words.usual} ${code(key.usual)}`]),
  ]
  const values =
    key.words.length === 0
      ? ''
      : `<p>${words.values}${words.colon}${key.words.map(code).join(words.comma)}</p>`
  const format =
    key.format === null
      ? ''
      : `<p class="soft">${escapeHtml(sentence(said(key.format, language)))}</p>`
  const example = key.example === null ? '' : codeBlock(key.example, 'yaml')
  return (
    `<dt${isSection ? '' : ` id="${id}"`}><a class="anchor" href="#${id}">${code(key.path)}</a> <span class="soft">${marks.join(' · ')}</span></dt>` +
    `<dd><p>${escapeHtml(said(key.meaning, language))}</p>${values}${format}${example}</dd>`
  )
}

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[\u4e00-\u9fff]/.test(text) ? '。' : '.'}`

/** What the search reads: each key is a section of its own. */
export const configurationSections = (
  sections: readonly ConfigSection[],
  language: Language,
): readonly Section[] =>
  sections.flatMap(({ keys }) =>
    keys.map(({ path, meaning, words, usual }) => ({
      id: keyId(path),
      heading: path,
      text: [said(meaning, language), ...words, usual ?? ''].join(' '),
    })),
  )
