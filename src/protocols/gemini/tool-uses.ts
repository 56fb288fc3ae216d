import type { ToolTally } from '../canonical/observation.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** Models of these generations are billed by prompt, however often they search. */
const billedByPrompt = /gemini-(1|2)[.-]/

/**
 * Notes what a chunk or a whole answer tells of the vendor's own tools. Searches are billed by query
 * from Gemini 3 on (those that are empty are not), before by prompt; a prompt that is grounded in maps
 * once. Source: Google's price list of the Gemini API.
 */
export function observeTools(tally: ToolTally, answer: JsonObject): void {
  for (const candidate of arrayIn(answer, 'candidates')) {
    if (!isJsonObject(candidate)) continue
    const { groundingMetadata, urlContextMetadata } = candidate
    const place = `${candidate.index ?? 0}`
    if (isJsonObject(groundingMetadata)) {
      const isByPrompt = billedByPrompt.test(stringIn(answer, 'modelVersion') ?? '')
      observeGrounding(tally, groundingMetadata, isByPrompt ? undefined : place)
    }
    const parts = arrayIn(objectIn(candidate, 'content'), 'parts')
    const isCode = (part: unknown) => isJsonObject(part) && isJsonObject(part.executableCode)
    if (parts.some(isCode)) tally.note('code_execution', place)
    if (isJsonObject(urlContextMetadata)) {
      arrayIn(urlContextMetadata, 'urlMetadata').forEach((_, index) => {
        tally.note('url_context', `${place} ${index}`)
      })
    }
  }
}

/** `place`: the candidate's, where each query counts. */
function observeGrounding(tally: ToolTally, metadata: JsonObject, place: string | undefined): void {
  const queries = [
    ...arrayIn(metadata, 'webSearchQueries'),
    ...arrayIn(metadata, 'imageSearchQueries'),
  ]
  const times = new Map<unknown, number>()
  for (const query of queries) {
    if (query === '') continue
    const time = times.get(query) ?? 0
    times.set(query, time + 1)
    tally.note('web_search', place === undefined ? '' : `${place} ${time} ${query}`)
  }
  for (const chunk of arrayIn(metadata, 'groundingChunks')) {
    if (!isJsonObject(chunk)) continue
    if (objectIn(chunk, 'maps')) tally.note('maps_grounding', '')
    else if (objectIn(chunk, 'retrievedContext')) tally.note('file_search', '')
    // Without queries the pages that were found are all that tells of a search.
    else if (objectIn(chunk, 'web') && queries.length === 0) tally.note('web_search', '')
  }
}
