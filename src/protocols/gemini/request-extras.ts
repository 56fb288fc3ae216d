import { tierName } from '../canonical/extras.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import {
  type HostedToolAsk,
  outputsIn,
  type RequestExtras,
  requestExtras,
} from '../request-extras.ts'
import { camelNames, written } from './names.ts'

const tools = new Map<string, HostedTool>([
  ['googleSearch', 'web_search'],
  ['googleSearchRetrieval', 'web_search'],
  ['googleMaps', 'maps_grounding'],
  ['urlContext', 'url_context'],
  ['codeExecution', 'code_execution'],
  ['fileSearch', 'file_search'],
  ['computerUse', 'computer_use'],
  ['mcpServers', 'mcp'],
])

/** What an answer shall have besides text. Names are in camelCase or in snake_case. */
export function readExtras(body: JsonObject): RequestExtras | undefined {
  const fields = camelNames(body)
  const tier = tierName(fields.serviceTier)
  const config = isJsonObject(fields.generationConfig) ? fields.generationConfig : {}
  const at = [written(body, 'generationConfig'), written(config, 'responseModalities')]
  return requestExtras(withoutOwnNames(body), {
    hostedTools: toolsIn(fields.tools),
    tiers: tier ? [{ tier, path: [written(body, 'serviceTier')] }] : [],
    outputs: outputsIn(camelNames(config).responseModalities, at),
  })
}

function toolsIn(wire: unknown): readonly HostedToolAsk[] {
  const isList = Array.isArray(wire)
  return (isList ? wire : [wire]).flatMap((set: unknown, index) => {
    if (!isJsonObject(set)) return []
    const path = isList ? ['tools', index] : ['tools']
    return Object.keys(set).flatMap((name): readonly HostedToolAsk[] => {
      const [camel = name] = Object.keys(camelNames({ [name]: 0 }))
      if (camel === 'functionDeclarations' || (set[name] ?? undefined) === undefined) return []
      // The mode of calls is about functions alone.
      return [{ tool: tools.get(camel), path: [...path, name], isForced: false, mentions: [] }]
    })
  })
}

/** Requests inside of this one repeat the model of the path: they are made to name it. */
function withoutOwnNames(body: JsonObject): JsonObject {
  const { requests, generateContentRequest, generate_content_request, ...rest } = body
  const inner = [requests, generateContentRequest, generate_content_request]
    .flat()
    .filter(isJsonObject)
    .map(({ model: _, ...request }) => request)
  return inner.length === 0 ? rest : { ...rest, requests: inner }
}
