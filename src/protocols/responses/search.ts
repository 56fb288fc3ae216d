import type { CanonicalRequest, SearchPart, ToolChoice, WebSearch } from '../canonical/request.ts'
import { decodeLocation, textsIn } from '../canonical/tools.ts'
import { defined } from '../fields.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The word of `include` by which a request asks for the pages that were found. */
export const sourcesIncluded = 'web_search_call.action.sources'

const isSearch = (tool: unknown): tool is JsonObject =>
  isJsonObject(tool) && stringIn(tool, 'type')?.startsWith('web_search') === true

const known = new Set([
  ...['type', 'filters', 'user_location', 'search_context_size'],
  'external_web_access',
])
const knownFilters = new Set(['allowed_domains', 'blocked_domains'])

/**
 * The first search among the tools of a request; undefined: it has none, or does not allow it, or one
 * that stays within the vendor's own cache (as Codex asks unless told otherwise): all others go out.
 */
export function decodeSearch(body: JsonObject): WebSearch | undefined {
  const tools = arrayIn(body, 'tools')
  const index = tools.findIndex(isSearch)
  const tool = tools[index]
  if (!isSearch(tool) || !isAllowed(body.tool_choice)) return undefined
  if (tool.external_web_access === false) return undefined
  const at = `tools[${index}]`
  const filters = objectIn(tool, 'filters')
  const size = sizes.find((one) => one === tool.search_context_size)
  return {
    places: [at, ...choicePlaces(body.tool_choice), 'max_tool_calls', ...includePlaces(body)],
    others: [
      ...othersIn(tool, known, at),
      ...othersIn(filters ?? {}, knownFilters, `${at}.filters`),
    ],
    allowedDomains: textsIn(filters, 'allowed_domains'),
    blockedDomains: textsIn(filters, 'blocked_domains'),
    location: decodeLocation(objectIn(tool, 'user_location')),
    maxUses: countIn(body, 'max_tool_calls'),
    contextSize: size,
  }
}

const sizes = ['low', 'medium', 'high'] as const

const othersIn = (holder: JsonObject, names: ReadonlySet<string>, at: string): string[] =>
  Object.keys(holder).flatMap((name) =>
    names.has(name) || (holder[name] ?? undefined) === undefined ? [] : [`${at}.${name}`],
  )

/** A choice among some tools may leave the search out. */
function isAllowed(choice: unknown): boolean {
  if (!isJsonObject(choice) || choice.type !== 'allowed_tools') return true
  return arrayIn(choice, 'tools').some(isSearch)
}

function choicePlaces(choice: unknown): string[] {
  if (!isJsonObject(choice)) return []
  if (isSearch(choice)) return ['tool_choice']
  return arrayIn(choice, 'tools').flatMap((tool, index) =>
    isSearch(tool) ? [`tool_choice.tools[${index}]`] : [],
  )
}

const includePlaces = (body: JsonObject): string[] =>
  arrayIn(body, 'include').flatMap((word, index) =>
    word === sourcesIncluded ? [`include[${index}]`] : [],
  )

/** The choice of a request, where it is that of its search. */
export const searchChoice = (
  choice: unknown,
  search: WebSearch | undefined,
): ToolChoice | undefined =>
  search !== undefined && isSearch(choice) ? { type: 'search' } : undefined

/** The vendor knows only domains that are allowed, and refuses a search with the least effort. */
export const takesSearch = ({ webSearch, reasoning }: CanonicalRequest): boolean =>
  webSearch?.blockedDomains === undefined &&
  !(reasoning?.amount?.type === 'effort' && reasoning.amount.effort === 'minimal')

/** The search as the vendor's tool. */
export function encodeSearch(search: WebSearch): JsonObject {
  const { allowedDomains, location, contextSize } = search
  return defined({
    type: 'web_search',
    filters: allowedDomains && { allowed_domains: allowedDomains },
    user_location: location && defined({ type: 'approximate', ...location }),
    search_context_size: contextSize,
  })
}

/** The search that an item is; undefined for another action: only the finished item has its action. */
export function decodeSearchCall(item: JsonObject): SearchPart | undefined {
  const action = objectIn(item, 'action')
  if (action !== undefined && (action.type ?? 'search') !== 'search') return undefined
  const queries = textsIn(action, 'queries') ?? [stringIn(action, 'query') ?? []].flat()
  const results = arrayIn(action, 'sources').flatMap((source) => {
    const url = isJsonObject(source) ? stringIn(source, 'url') : undefined
    if (url === undefined || !isJsonObject(source)) return []
    return [{ url, title: stringIn(source, 'title') }]
  })
  const error = item.status === 'failed' ? { error: 'unavailable' } : {}
  return { type: 'search', queries, results, ...error }
}
