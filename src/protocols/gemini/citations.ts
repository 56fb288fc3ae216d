import type { Citation, SearchPart } from '../canonical/request.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { fromBytes, toBytes } from './offsets.ts'

type UrlCitation = Extract<Citation, { type: 'url' }>

/** A source, and what of the text it stands behind: bytes, end exclusive. */
interface Span {
  readonly url: string
  readonly title: string | undefined
  readonly start: number | undefined
  readonly end: number | undefined
  /** The text itself, as the vendor repeats it. */
  readonly segment: string | undefined
}

/**
 * The addresses that a candidate names for its `text`: what it was grounded on, and what it quotes.
 * Sources without an address (file search) are left out.
 */
export function decodeCitations(candidate: JsonObject, text: string): readonly Citation[] {
  const spans = [...groundingSpans(candidate), ...quotationSpans(candidate)]
  const bytes = spans.flatMap(({ start, end }) => (end === undefined ? [] : [start ?? 0, end]))
  const places = fromBytes(text, bytes)
  return spans.map((span): UrlCitation => {
    const { url, title } = span
    const range = placeOf(span, text, places)
    return { type: 'url', url, title, ...range }
  })
}

/** Where the span is in the text; counted from another beginning, it is searched for. */
function placeOf(
  { start, end, segment }: Span,
  text: string,
  places: ReadonlyMap<number, number>,
): { readonly start?: number; readonly end?: number } {
  if (end === undefined) return {}
  const from = places.get(start ?? 0) ?? 0
  const to = places.get(end) ?? text.length
  if (segment === undefined || text.slice(from, to) === segment) return { start: from, end: to }
  const found = text.indexOf(segment)
  return found === -1 ? {} : { start: found, end: found + segment.length }
}

function groundingSpans(candidate: JsonObject): readonly Span[] {
  const grounding = objectIn(candidate, 'groundingMetadata')
  const sources = arrayIn(grounding, 'groundingChunks').map(sourceOf)
  const used = new Set<number>()
  const spans = arrayIn(grounding, 'groundingSupports')
    .filter(isJsonObject)
    .flatMap((support) => {
      const segment = objectIn(support, 'segment')
      return arrayIn(support, 'groundingChunkIndices').flatMap((index): Span[] => {
        const source = typeof index === 'number' ? sources[index] : undefined
        if (source === undefined || typeof index !== 'number') return []
        used.add(index)
        return [
          {
            ...source,
            start: countIn(segment, 'startIndex'),
            end: countIn(segment, 'endIndex'),
            segment: stringIn(segment, 'text'),
          },
        ]
      })
    })
  const whole = sources.flatMap((source, index): Span[] =>
    source === undefined || used.has(index)
      ? []
      : [{ ...source, start: undefined, end: undefined, segment: undefined }],
  )
  return [...spans, ...whole]
}

function sourceOf(chunk: unknown): Pick<Span, 'url' | 'title'> | undefined {
  if (!isJsonObject(chunk)) return undefined
  const source =
    objectIn(chunk, 'web') ?? objectIn(chunk, 'retrievedContext') ?? objectIn(chunk, 'maps')
  const url = stringIn(source, 'uri')
  if (url === undefined || !/^https?:/i.test(url)) return undefined
  return { url, title: stringIn(source, 'title') }
}

/** Quotations at length: `citations` with Vertex, `citationSources` in the Gemini API. */
function quotationSpans(candidate: JsonObject): readonly Span[] {
  const metadata = objectIn(candidate, 'citationMetadata')
  const list = [...arrayIn(metadata, 'citations'), ...arrayIn(metadata, 'citationSources')]
  return list.filter(isJsonObject).flatMap((citation): Span[] => {
    const url = stringIn(citation, 'uri')
    if (url === undefined) return []
    return [
      {
        url,
        title: stringIn(citation, 'title'),
        start: countIn(citation, 'startIndex'),
        end: countIn(citation, 'endIndex'),
        segment: undefined,
      },
    ]
  })
}

/** A text of an answer with what it names. */
export interface CitedText {
  readonly text: string
  readonly citations: readonly Citation[]
}

/**
 * What an answer was grounded on, as `groundingMetadata`: what was searched for, the pages that texts
 * name (all that were found where they name none), and where texts rest on them; a page without a place
 * stands behind all of its text. Undefined when there is none of it.
 */
export function encodeGrounding(
  texts: readonly CitedText[],
  searches: readonly SearchPart[],
): JsonObject | undefined {
  const indexes = new Map<string, number>()
  const groundingChunks: JsonObject[] = []
  const groundingSupports: JsonObject[] = []
  const indexOf = (url: string, title: string | undefined): number => {
    const known = indexes.get(url)
    if (known !== undefined) return known
    const index = groundingChunks.length
    indexes.set(url, index)
    groundingChunks.push({ web: { uri: url, ...(title === undefined ? {} : { title }) } })
    return index
  }
  for (const { text, citations } of texts) {
    const urls = citations.filter((citation) => citation.type === 'url')
    const ends = urls.flatMap(({ start = 0, end = text.length }) => [start, end])
    const places = toBytes(text, ends)
    for (const { url, title, start = 0, end = text.length } of urls) {
      const index = indexOf(url, title)
      if (end === 0) continue
      const [startIndex, endIndex] = [places.get(start), places.get(end)]
      const segment = { startIndex, endIndex, text: text.slice(start, end) }
      groundingSupports.push({ segment, groundingChunkIndices: [index] })
    }
  }
  if (groundingChunks.length === 0) {
    for (const { results } of searches) for (const { url, title } of results) indexOf(url, title)
  }
  const webSearchQueries = searches.flatMap(({ queries }) => queries)
  if (webSearchQueries.length === 0 && groundingChunks.length === 0) return undefined
  const asked = webSearchQueries.length === 0 ? {} : { webSearchQueries }
  return { ...asked, groundingChunks, groundingSupports }
}

/** The search that grounding metadata tells of; undefined when it tells of none. */
export function decodeSearch(grounding: JsonObject | undefined): SearchPart | undefined {
  const queries = arrayIn(grounding, 'webSearchQueries').filter(
    (query) => typeof query === 'string' && query !== '',
  ) as string[]
  if (queries.length === 0) return undefined
  const results = arrayIn(grounding, 'groundingChunks').flatMap((chunk) => sourceOf(chunk) ?? [])
  return { type: 'search', queries, results }
}
