import { countIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject, RequestFacts } from '../protocol.ts'
import { largestOf } from '../request-facts.ts'

const configNames = ['generationConfig', 'generation_config'] as const
/** Of the limit of each answer. */
export const limitNames = ['maxOutputTokens', 'max_output_tokens'] as const
/** Of how many answers are asked for. */
export const countNames = ['candidateCount', 'candidate_count'] as const

/** A request with one configuration, and the fields that have to change for that. */
export interface OneConfig {
  readonly asked: JsonObject
  readonly amend: RequestFacts['amend']
}

/**
 * The request with one configuration, which names each limit once. Where it is written by both of its
 * names, or a limit by both of its own, the two are made one, in which the largest limit is left: which of
 * them the vendor reads, nobody can say. That is what is looked at, and what goes upstream.
 */
export function withOneConfig(body: JsonObject): OneConfig {
  const written = configNames.map((name) => objectIn(body, name)).filter(isJsonObject)
  const [first, second] = written
  const isOnce = (names: readonly string[]) =>
    names.filter((name) => countIn(first, name) !== undefined).length < 2
  if (second === undefined && isOnce(limitNames) && isOnce(countNames)) {
    return { asked: body, amend: {} }
  }
  const config: Record<string, unknown> = { ...second, ...first }
  for (const names of [limitNames, countNames]) {
    for (const name of names) delete config[name]
    const most = Math.max(...written.map((one) => largestOf(one, names).most ?? 0))
    if (most > 0) config[names[0]] = most
  }
  const { generation_config: other, ...rest } = body
  return {
    asked: { ...rest, generationConfig: config },
    amend: { generationConfig: config, ...(other !== undefined && { generation_config: null }) },
  }
}
