import type { CanonicalRequest, WebSearch } from '../canonical/request.ts'
import { defined } from '../chat/fields.ts'
import { decodeLocation, textsIn } from '../chat/search.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** What the vendor's tool is called, in calls and choices. */
export const searchName = 'web_search'

/** Whether a tool is the vendor's search, of whatever date. */
export const isSearch = (tool: unknown): tool is JsonObject =>
  isJsonObject(tool) && stringIn(tool, 'type')?.startsWith('web_search_') === true

const known = new Set([
  ...['type', 'name', 'max_uses', 'allowed_domains', 'blocked_domains', 'user_location'],
  ...['cache_control'],
])

/** The first search among the tools of a request, of whatever date. */
export function decodeSearch(body: JsonObject): WebSearch | undefined {
  const tools = arrayIn(body, 'tools')
  const index = tools.findIndex(isSearch)
  const tool = tools[index]
  if (!isSearch(tool)) return undefined
  const at = `tools[${index}]`
  return {
    places: [at],
    others: Object.keys(tool).flatMap((name) =>
      known.has(name) || (tool[name] ?? undefined) === undefined ? [] : [`${at}.${name}`],
    ),
    allowedDomains: textsIn(tool, 'allowed_domains'),
    blockedDomains: textsIn(tool, 'blocked_domains'),
    location: decodeLocation(objectIn(tool, 'user_location')),
    maxUses: countIn(tool, 'max_uses'),
  }
}

/** The vendor takes one of both lists, and no two tools of a name. */
export const takesSearch = ({ webSearch, tools }: CanonicalRequest): boolean =>
  (webSearch?.allowedDomains === undefined || webSearch.blockedDomains === undefined) &&
  tools.every(({ name }) => name !== searchName)

/** The search as the vendor's tool, in the form that all of its models know. */
export function encodeSearch(search: WebSearch): JsonObject {
  const { allowedDomains, blockedDomains, location, maxUses } = search
  return defined({
    type: 'web_search_20250305',
    name: searchName,
    max_uses: maxUses,
    allowed_domains: allowedDomains,
    blocked_domains: blockedDomains,
    user_location: location && defined({ type: 'approximate', ...location }),
  })
}
