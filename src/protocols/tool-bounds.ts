import { countIn, isJsonObject, objectIn, stringIn } from './json.ts'
import type { JsonObject } from './protocol.ts'
import type { HostedToolAsk, Path, RequestExtras } from './request-extras.ts'

/** The most that a request lets the vendor's own tools be used. */
export interface ToolBounds {
  /** How often each of them. */
  readonly uses: number
  /** How large a container is: one of 4 GB is billed as four uses. */
  readonly gigabytes: number
}

/** So often a vendor is taken to use a tool, unless the request lets it more: not all heed its limits. */
const usualUses = 10
/** Search parameters: each source is a use. Source: xAI's reference, "Live search". */
const usualSources = 20
/** The largest container there is. Source: OpenAI's price list. */
const largestGigabytes = 64

/** Undefined: it asks for none. */
export function toolBounds(
  body: JsonObject,
  extras: RequestExtras | undefined,
): ToolBounds | undefined {
  if (extras === undefined || extras.hostedTools.length === 0) return undefined
  const tools = extras.hostedTools.map((ask) => ({ ask, tool: memberAt(body, ask.path) }))
  const all = countIn(body, 'max_tool_calls')
  const each = tools.map(({ ask, tool }) => usesOf(ask, tool, all))
  const gigabytes = tools.map(({ tool }) => Math.max(...places(tool).map(memoryOf)))
  return { uses: Math.max(...each), gigabytes: Math.max(...gigabytes) }
}

function usesOf({ path }: HostedToolAsk, tool: JsonObject | undefined, all: number | undefined) {
  const usual = path[0] === 'search_parameters' ? usualSources : usualUses
  const own = ['max_uses', 'max_search_results'].map((name) => countIn(tool, name) ?? 0)
  return Math.max(usual, all ?? 0, ...own)
}

const places = (tool: JsonObject | undefined) =>
  [tool, objectIn(tool, 'container'), objectIn(tool, 'environment')] as const

function memoryOf(holder: JsonObject | undefined): number {
  const limit = holder?.memory_limit ?? undefined
  if (limit === undefined) return 1
  const size = Number(/^(\d{1,4})g$/.exec(stringIn(holder, 'memory_limit') ?? '')?.[1])
  return size > 0 ? size : largestGigabytes
}

function memberAt(body: JsonObject, path: Path): JsonObject | undefined {
  let value: unknown = body
  for (const step of path) value = (value as JsonObject | undefined | null)?.[step]
  return isJsonObject(value) ? value : undefined
}
