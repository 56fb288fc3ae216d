import { countIn, isJsonObject, objectIn, stringIn } from './json.ts'
import type { JsonObject, RequestFacts } from './protocol.ts'
import type { HostedToolAsk, Path, RequestExtras } from './request-extras.ts'

/** Facts common to all requests; each kind overrides its own. */
export function baseFacts(body: JsonObject, extras: RequestExtras | undefined) {
  return {
    model: stringIn(body, 'model'),
    stream: body.stream === true,
    calls: 1,
    continues: [],
    amend: {},
    answers: 1,
    maxOutputTokens: null,
    takesTurns: false,
    turns: 1,
    hasUnseenInput: false,
    extras,
    toolBounds: toolBounds(body, extras),
  } satisfies Partial<RequestFacts>
}

/** The largest value of these names; in `others` the smaller ones are null, so that upstreams read the largest. */
export function largestOf(body: JsonObject | undefined, names: readonly string[]) {
  let most: number | undefined
  for (const name of names) most = Math.max(most ?? 0, countIn(body, name) ?? 0) || most
  const others: Record<string, null> = {}
  for (const name of names)
    if ((countIn(body, name) ?? most ?? 0) < (most ?? 0)) others[name] = null
  return { most, others }
}

/** Names of limits that some upstream uses: an output has at least or at most so many LLM tokens. */
const limitName = /^(max|min)_\w*tokens$|^num_predict$|^max_length$/
const ofInput = /prompt|input|context/

/** The largest of a request's own limit and of any field that could be read as one. */
export function largestLimit(body: JsonObject, own: number | undefined): number | null {
  if (own === undefined) return null
  let most = own
  for (const name in body) {
    const count = countIn(body, name) ?? 0
    if (count > most && limitName.test(name) && !ofInput.test(name)) most = count
  }
  return most
}

/** Vendor work that no stream shows. `by_model`: only the model's own reasoning; `none`: not even that. */
export type HiddenWork = 'some' | 'none' | 'by_model'

/** Whether an object has only these members; null members count as absent. */
export function hasOnly(value: JsonObject, names: ReadonlySet<string>): boolean {
  for (const name in value) {
    if (!names.has(name) && value[name] !== null && value[name] !== undefined) return false
  }
  return true
}

/** Whether a field is absent, null, or one of the plain values. */
export const isPlain = (value: unknown, ...plain: readonly unknown[]): boolean =>
  value === undefined || value === null || plain.includes(value)

/** Whether a list has only objects of these types; an absent type is `undefined`. */
export const allOfTypes = (list: unknown, types: readonly unknown[]): boolean =>
  isPlain(list) ||
  (Array.isArray(list) && list.every((one) => isJsonObject(one) && types.includes(one.type)))

/** Changes the top-level model of a body, as most do. */
export function renameModel(_body: unknown, upstreamModel: string): { readonly model: string } {
  return { model: upstreamModel }
}

/** Bounds of vendor-run tools. */
export interface ToolBounds {
  readonly uses: number
  /** Container size: one of 4 GB is billed as four uses. */
  readonly gigabytes: number
}

/** Assumed uses of a tool, unless the request allows more: not all vendors respect limits. */
const usualUses = 10
/** Search parameters: each source is a use. Source: xAI's reference, "Live search". */
const usualSources = 20
/** The largest container on offer. Source: OpenAI's price list. */
const largestGigabytes = 64

function toolBounds(body: JsonObject, extras: RequestExtras | undefined): ToolBounds | undefined {
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
