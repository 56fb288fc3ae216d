import type { TextPart, Tool } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeCache, nameOf } from './content.ts'

// Tools with `defer_loading` are not told to the model until a search refers to them (`tool_reference` in
// the result of a tool of the client's own). Source: the SDK's `ToolReferenceBlockParam`; Claude Code.

/** What the model is told of a tool that a result refers to: its schema is among the tools. */
export function decodeReference(block: JsonObject, at: string): TextPart {
  const text = `The tool "${nameOf(block, 'tool_name', at)}" can be called now.`
  return { type: 'text', at, cache: decodeCache(block), text }
}

/** The vendor's own search, which it runs itself (`tool_search_tool_regex_20251119`). */
const isSearch = (name: unknown) => typeof name === 'string' && name.startsWith('tool_search_tool_')

/** Whether a block is a call of the vendor's own search, or what that has found. */
export function isSearchBlock({ type, name }: JsonObject): boolean {
  return type === 'tool_search_tool_result' || (type === 'server_tool_use' && isSearch(name))
}

/**
 * The tools that the model knows by the end of the conversation. Those that were held back stand last, in
 * the order in which they were first named, so that one more changes nothing before it. Where the vendor
 * was to search, nobody does: all are told.
 */
export function loadedTools(tools: readonly Tool[], body: JsonObject): readonly Tool[] {
  const wires = arrayIn(body, 'tools').filter(isJsonObject)
  const heldBack = new Set(wires.filter(isHeldBack).map(({ name }) => name))
  if (heldBack.size === 0 || wires.some(({ type }) => isSearch(type))) return tools
  const late = new Map(
    tools.filter(({ name }) => heldBack.has(name)).map((tool) => [tool.name, tool]),
  )
  return [
    ...tools.filter(({ name }) => !late.has(name)),
    ...namedTools(body).flatMap((name) => late.get(name) ?? []),
  ]
}

/** Whether a tool waits until a search refers to it. */
export const isHeldBack = (tool: JsonObject): boolean => tool.defer_loading === true

/** Names of tools that results refer to, that were called, or that must be called; each once. */
function namedTools(body: JsonObject): readonly string[] {
  const names = new Set<string | undefined>()
  for (const message of arrayIn(body, 'messages').filter(isJsonObject)) {
    for (const block of arrayIn(message, 'content').filter(isJsonObject)) {
      if (block.type === 'tool_use') names.add(stringIn(block, 'name'))
      for (const { tool_name } of referencesIn(block)) {
        if (typeof tool_name === 'string') names.add(tool_name)
      }
    }
  }
  names.add(stringIn(objectIn(body, 'tool_choice'), 'name'))
  return [...names].filter((name) => name !== undefined)
}

/** What a result refers to: of a tool of the client's, or of the vendor's search in earlier turns. */
function referencesIn(block: JsonObject): readonly JsonObject[] {
  const list =
    block.type === 'tool_search_tool_result'
      ? arrayIn(objectIn(block, 'content'), 'tool_references')
      : block.type === 'tool_result'
        ? arrayIn(block, 'content')
        : []
  return list.filter(isJsonObject).filter(({ type }) => type === 'tool_reference')
}
