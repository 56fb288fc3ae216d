import { tierName } from '../canonical/extras.ts'
import type { HostedTool } from '../canonical/hosted-tools.ts'
import { arrayIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import {
  type HostedToolAsk,
  hasTwoKinds,
  namedTool,
  type RequestExtras,
  requestExtras,
  type TierAsk,
} from '../request-extras.ts'
import { isClientTool } from './tools.ts'

/** Kinds with a date in their names. `advisor_…` asks another model, and has no price. */
const kinds: readonly (readonly [kind: RegExp, tool: HostedTool])[] = [
  [/^web_search/, 'web_search'],
  [/^web_fetch/, 'web_fetch'],
  [/^code_execution/, 'code_execution'],
  [/^tool_search/, 'tool_search'],
  [/^mcp_toolset/, 'mcp'],
]

/** What a message shall have besides text. */
export function readExtras(body: JsonObject): RequestExtras | undefined {
  return requestExtras(body, { hostedTools: toolsIn(body), tiers: tiersIn(body) })
}

function toolsIn(body: JsonObject): readonly HostedToolAsk[] {
  const tools = arrayIn(body, 'tools')
  const choice = objectIn(body, 'tool_choice')
  const found: HostedToolAsk[] = []
  let isAll: boolean | undefined
  tools.forEach((tool, index) => {
    if (!isJsonObject(tool) || !isHosted(tool)) return
    const isNamed = choice?.type === 'tool' && choice.name === tool.name
    isAll ??= tools.every(isHosted)
    found.push({
      tool: namedTool(kinds, `${tool.type}`),
      path: ['tools', index],
      isForced: isNamed || (isAll && choice?.type === 'any'),
      mentions: [],
    })
  })
  if (arrayIn(body, 'mcp_servers').length === 0) return found
  return [...found, { tool: 'mcp', path: ['mcp_servers'], isForced: false, mentions: [] }]
}

function isHosted(tool: unknown): boolean {
  if (!isJsonObject(tool)) return false
  const { type } = tool
  if (hasTwoKinds(tool)) return true
  return (type ?? undefined) !== undefined && type !== 'custom' && !isClientTool(`${type}`)
}

const tierFields = ['service_tier', 'speed', 'inference_geo']

function tiersIn(body: JsonObject): readonly TierAsk[] {
  const found: TierAsk[] = []
  for (const field of tierFields) {
    const tier = body[field] === undefined ? undefined : tierName(body[field])
    if (tier) found.push({ tier, path: [field] })
  }
  return found
}
