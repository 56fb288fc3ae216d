import type { Citation, SearchPart, TokenLogprob } from '../canonical/request.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

interface Span {
  readonly url: string
  readonly title: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly segment?: string | undefined
}

/** The addresses that ground a candidate, or that it quotes. Sources without an address are dropped. */
export function decodeCitations(candidate: JsonObject, text: string): readonly Citation[] {
  const spans = [...groundingSpans(candidate), ...quotationSpans(candidate)]
  const bytes = spans.flatMap(({ start, end }) => (end === undefined ? [] : [start ?? 0, end]))
  const places = mapOffsets(text, bytes, true)
  return spans.map((span): Citation => {
    const { url, title } = span
    return { type: 'url', url, title, ...placeOf(span, text, places) }
  })
}

/** The span's place in the text; if its offsets do not fit, the segment is searched for. */
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
        return [{ ...source, ...rangeIn(segment), segment: stringIn(segment, 'text') }]
      })
    })
  const whole = sources.flatMap((source, index) => (used.has(index) ? [] : (source ?? [])))
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

/** Long quotations: `citations` with Vertex, `citationSources` in the Gemini API. */
function quotationSpans(candidate: JsonObject): readonly Span[] {
  const metadata = objectIn(candidate, 'citationMetadata')
  const list = [...arrayIn(metadata, 'citations'), ...arrayIn(metadata, 'citationSources')]
  return list.filter(isJsonObject).flatMap((citation): Span[] => {
    const url = stringIn(citation, 'uri')
    if (url === undefined) return []
    return [{ url, title: stringIn(citation, 'title'), ...rangeIn(citation) }]
  })
}

const rangeIn = (holder: JsonObject | undefined) => {
  return { start: countIn(holder, 'startIndex'), end: countIn(holder, 'endIndex') }
}

export interface CitedText {
  readonly text: string
  readonly citations: readonly Citation[]
}

/** Grounding metadata: searches, pages and the texts they support. No field without any. */
export function encodeGrounding(
  texts: readonly CitedText[],
  searches: readonly SearchPart[],
): JsonObject {
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
    const places = mapOffsets(text, ends, false)
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
  if (webSearchQueries.length === 0 && groundingChunks.length === 0) return {}
  const asked = webSearchQueries.length === 0 ? {} : { webSearchQueries }
  return { groundingMetadata: { ...asked, groundingChunks, groundingSupports } }
}

/** The search in grounding metadata; undefined without one. */
export function decodeSearchResult(grounding: JsonObject | undefined): SearchPart | undefined {
  const queries = arrayIn(grounding, 'webSearchQueries').filter(
    (query) => typeof query === 'string' && query !== '',
  ) as string[]
  if (queries.length === 0) return undefined
  const results = arrayIn(grounding, 'groundingChunks').flatMap((chunk) => sourceOf(chunk) ?? [])
  return { type: 'search', queries, results }
}

/** Converts offsets between UTF-8 bytes (this vendor's) and UTF-16 units. */
function mapOffsets(
  text: string,
  offsets: readonly number[],
  fromBytes: boolean,
): ReadonlyMap<number, number> {
  const mapped = new Map<number, number>()
  let units = 0
  let bytes = 0
  // An offset beyond the text, or inside a character, moves to the next valid one.
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    while ((fromBytes ? bytes : units) < offset && units < text.length) {
      const code = text.codePointAt(units) ?? 0
      units += code > 0xffff ? 2 : 1
      bytes += code > 0xffff ? 4 : code > 0x7ff ? 3 : code > 0x7f ? 2 : 1
    }
    mapped.set(offset, fromBytes ? units : bytes)
  }
  return mapped
}

/** The token probabilities of a candidate; undefined without any. */
export function decodeLogprobs(candidate: JsonObject): readonly TokenLogprob[] | undefined {
  const result = objectIn(candidate, 'logprobsResult')
  const top = arrayIn(result, 'topCandidates')
  const chosen = arrayIn(result, 'chosenCandidates').flatMap((token, index): TokenLogprob[] => {
    const known = decodeToken(token)
    const alternatives = top[index]
    const others = isJsonObject(alternatives) ? arrayIn(alternatives, 'candidates') : []
    if (known === undefined) return []
    return [{ ...known, top: others.flatMap((other) => decodeToken(other) ?? []) }]
  })
  return chosen.length === 0 ? undefined : chosen
}

function decodeToken(value: unknown): Omit<TokenLogprob, 'top'> | undefined {
  if (!isJsonObject(value)) return undefined
  const { token, logProbability } = value
  if (typeof token !== 'string') return undefined
  // The vendor's JSON omits 0, the logarithm of probability 1.
  return { token, logprob: typeof logProbability === 'number' ? logProbability : 0 }
}

/** Token probabilities as a candidate's field; no field without any. */
export function encodeLogprobs(logprobs: readonly TokenLogprob[] = []): JsonObject {
  if (logprobs.length === 0) return {}
  const chosenCandidates = logprobs.map(encodeToken)
  const topCandidates = logprobs.map(({ top }) => ({ candidates: top.map(encodeToken) }))
  return { logprobsResult: { chosenCandidates, topCandidates } }
}

const encodeToken = ({ token, logprob }: Omit<TokenLogprob, 'top'>): JsonObject => ({
  token,
  logProbability: logprob,
})
