import type { CanonicalRequest, WebSearch } from '../canonical/request.ts'
import { textsIn } from '../canonical/tools.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { camelNames, listOf, written } from './names.ts'

/** The first `googleSearch` among the tools of a request, or the retrieval that came before it. */
export function decodeSearch(body: JsonObject): WebSearch | undefined {
  const { tools } = camelNames(body)
  const isList = Array.isArray(tools)
  for (const [index, set] of listOf(tools).entries()) {
    if (!isJsonObject(set)) continue
    const sets = camelNames(set)
    for (const name of ['googleSearch', 'googleSearchRetrieval']) {
      const tool = sets[name]
      if (!isJsonObject(tool)) continue
      const at = `${isList ? `tools[${index}]` : 'tools'}.${written(set, name)}`
      const fields = camelNames(tool)
      const others = Object.keys(fields).filter((field) => field !== 'excludeDomains')
      return {
        places: [at],
        others: others.map((field) => `${at}.${written(tool, field)}`),
        blockedDomains: textsIn(fields, 'excludeDomains'),
      }
    }
  }
  return undefined
}

/**
 * The vendor's Gemini API has no limits of domains, and takes its search beside functions for some
 * models only, which then want all that it did back in the next turn: what other clients can't give.
 */
export const takesSearch = ({ webSearch, tools, toolChoice }: CanonicalRequest): boolean =>
  tools.length === 0 &&
  toolChoice?.type !== 'none' &&
  webSearch?.allowedDomains === undefined &&
  webSearch?.blockedDomains === undefined
