import type { CanonicalRequest, SearchLocation, WebSearch } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { defined } from './fields.ts'

/** `web_search_options`: the request shall be answered by a search. */
export function decodeSearch({ web_search_options: wire }: JsonObject): WebSearch | undefined {
  if (!isJsonObject(wire)) return undefined
  const at = 'web_search_options'
  const place = objectIn(wire, 'user_location')
  const size = (['low', 'medium', 'high'] as const).find((one) => one === wire.search_context_size)
  return {
    places: [at],
    others: Object.keys(wire).flatMap((name) => (known.has(name) ? [] : [`${at}.${name}`])),
    location: decodeLocation(objectIn(place, 'approximate') ?? place),
    contextSize: size,
  }
}

const known = new Set(['user_location', 'search_context_size'])

/** Where the user is, in the words that OpenAI and Anthropic share; undefined: it does not say. */
export function decodeLocation(wire: JsonObject | undefined): SearchLocation | undefined {
  const location = defined({
    city: stringIn(wire, 'city'),
    region: stringIn(wire, 'region'),
    country: stringIn(wire, 'country'),
    timezone: stringIn(wire, 'timezone'),
  })
  return Object.keys(location).length === 0 ? undefined : location
}

/** The texts of a list; undefined where there are none. */
export function textsIn(
  holder: JsonObject | undefined,
  key: string,
): readonly string[] | undefined {
  const texts = arrayIn(holder, key).filter((text) => typeof text === 'string')
  return texts.length === 0 ? undefined : texts
}

/** Models that search by themselves have no limits of domains. */
export const takesSearch = ({ webSearch }: CanonicalRequest): boolean =>
  webSearch?.allowedDomains === undefined && webSearch?.blockedDomains === undefined

/** For models that search by themselves: what they are told of it. */
export function encodeSearch({ location, contextSize }: WebSearch): JsonObject {
  const user_location = location && { type: 'approximate', approximate: defined({ ...location }) }
  return defined({ user_location, search_context_size: contextSize })
}
