import { tierName } from '../canonical/extras.ts'
import type { HostedTool } from '../canonical/hosted-tools.ts'
import type { Observation } from '../canonical/observation.ts'
import { observeTier, type ToolTally } from '../canonical/tool-tally.ts'
import { arrayIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** OpenAI answers `priority` to a request for either. */
const tierNames: ReadonlyMap<string, string> = new Map([['fast', 'priority']])

/** The tier of OpenAI's two protocols, in a request or an answer. */
export const openAiTier = (wire: unknown) => tierName(wire, tierNames)

/** Groq's words for the tools that its systems have used. */
const executedTools = new Map<unknown, HostedTool>([
  ['search', 'web_search'],
  ['web_search', 'web_search'],
  ['browser_search', 'web_search'],
  ['visit', 'web_fetch'],
  ['visit_website', 'web_fetch'],
  ['python', 'code_execution'],
  ['code_interpreter', 'code_execution'],
])

const found = ['citations', 'search_results', 'web_search']

/**
 * Notes what a chunk or a whole completion tells of its tier and of the vendor's own tools. Where no
 * report counts searches, addresses that are cited are the sign of one (OpenAI's search models,
 * `citations` of Perplexity and xAI, `web_search` of Zhipu).
 */
export function observeExtras(seen: Observation, tally: ToolTally, answer: JsonObject): void {
  observeTier(seen, openAiTier(answer.service_tier))
  if (found.some((field) => arrayIn(answer, field).length > 0)) tally.note('web_search', '')
  for (const choice of arrayIn(answer, 'choices')) {
    if (!isJsonObject(choice)) continue
    const message = choice.delta ?? choice.message
    if (isJsonObject(message)) observeMessage(tally, message)
  }
}

function observeMessage(tally: ToolTally, message: JsonObject): void {
  if (Array.isArray(message.annotations)) {
    const isCited = (entry: unknown) => isJsonObject(entry) && entry.type === 'url_citation'
    if (message.annotations.some(isCited)) tally.note('web_search', '')
  }
  for (const call of arrayIn(message, 'tool_calls')) {
    // Moonshot runs the functions whose names begin so.
    if (!isJsonObject(call) || objectIn(call, 'function')?.name !== '$web_search') continue
    tally.note('web_search', `${call.id ?? call.index}`)
  }
  if (!Array.isArray(message.executed_tools)) return
  message.executed_tools.forEach((entry: unknown, index) => {
    const tool = isJsonObject(entry) ? executedTools.get(entry.type) : undefined
    if (tool !== undefined) tally.note(tool, `${(entry as JsonObject).index ?? index}`)
  })
}
