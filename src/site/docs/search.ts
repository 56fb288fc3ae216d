import MiniSearch from 'minisearch'
import { escapeHtml } from '../../look/text.ts'
import type { Section } from './guide/markdown.ts'

/** A page with its sections, for the search. */
export interface SearchedPage {
  readonly path: string
  readonly title: string
  readonly sections: readonly Section[]
  /** What a hit in it counts; left out: 1. */
  readonly weight?: number
}

export interface Hit {
  readonly path: string
  readonly title: string
  readonly heading: string
  /** HTML: a part of the text with the found words marked. */
  readonly excerpt: string
}

interface Entry extends Section {
  readonly key: number
  readonly path: string
  readonly title: string
  readonly weight: number
}

const mostHits = 20
/** Longer questions are cut off. */
const mostCharacters = 100

/** Words of either language: the dictionary of the runtime separates Chinese. Parts of a key are words, too. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (!isWordLike) continue
    for (const word of segment.split(/[^\p{L}\p{N}_]+/u)) {
      words.push(word)
      if (word.includes('_')) words.push(...word.split('_'))
    }
  }
  return words.filter((word) => word !== '')
}
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** Words of English questions that say nothing of what is looked for. */
const emptyWords: ReadonlySet<string> = new Set(
  'a an and are can do does for how i in is it my of on or the to what when where which why with'.split(
    ' ',
  ),
)

/** The words of a question; those that say nothing only where there are no others. */
function askedWords(question: string): string[] {
  const words = wordsOf(question)
  const telling = words.filter((word) => !emptyWords.has(word.toLowerCase()))
  return telling.length > 0 ? telling : words
}

/** Whether a word may be the beginning of a longer one: two letters begin too many. */
const mayBegin = (word: string): boolean => !/^[a-z]{1,2}$/i.test(word)

/** Sections that are indexed before other work has its turn. */
const sectionsPerStep = 10

/** An index over pages; `search` gives the best sections first. */
export async function createSearch(pages: readonly SearchedPage[]) {
  const entries: readonly Entry[] = pages
    .flatMap(({ path, title, sections, weight = 1 }) =>
      sections.map((one) => ({ path, title, weight, ...one })),
    )
    .map((one, key) => ({ key, ...one }))
  const index = new MiniSearch<Entry>({
    idField: 'key',
    fields: ['title', 'heading', 'text'],
    tokenize: wordsOf,
    searchOptions: {
      ...{ boost: { heading: 3, title: 2 }, prefix: mayBegin, tokenize: askedWords },
      boostDocument: (key) => entries[Number(key)]?.weight ?? 1,
      fuzzy: (term: string) => (/^[a-z_]{5,}$/i.test(term) ? 0.2 : false),
    },
  })
  await index.addAllAsync(entries, { chunkSize: sectionsPerStep })
  return (asked: string): readonly Hit[] => {
    const query = asked.slice(0, mostCharacters)
    const all = index.search(query, { combineWith: 'AND' })
    const found = all.length > 0 ? all : index.search(query)
    return found.slice(0, mostHits).flatMap(({ id, terms }) => {
      const entry = entries[Number(id)]
      return entry ? [hitOf(entry, terms)] : []
    })
  }
}

const hitOf = ({ path, title, id, heading, text }: Entry, terms: readonly string[]): Hit => ({
  ...{ path: id === '' ? path : `${path}#${id}`, title, heading },
  excerpt: excerptOf(text, terms),
})

const excerptBefore = 60
const excerptLength = 240

/** At most so much of a text, not cut within a word of letters. */
function wholeWords(text: string, length: number): string {
  if (text.length <= length) return text
  const end = text.lastIndexOf(' ', length)
  // Chinese has few spaces.
  return text.slice(0, end > length / 2 ? end : length)
}

/** The part of a text around the first found word, as HTML. */
export function excerptOf(text: string, terms: readonly string[]): string {
  const found = terms.map(RegExp.escape).join('|')
  const pattern = new RegExp(found === '' ? '(?!)' : `(${found})`, 'gi')
  const first = Math.max(text.search(pattern), 0)
  const from = first <= excerptBefore ? 0 : text.indexOf(' ', first - excerptBefore) + 1
  const begin = from > first || from === 0 ? Math.max(first - excerptBefore, 0) : from
  const part = wholeWords(text.slice(begin), excerptLength)
  const marked = part
    .split(pattern)
    .map((piece, at) => (at % 2 === 1 ? `<mark>${escapeHtml(piece)}</mark>` : escapeHtml(piece)))
  const isCut = begin + part.length < text.length
  return `${begin > 0 ? '… ' : ''}${marked.join('')}${isCut ? ' …' : ''}`
}
