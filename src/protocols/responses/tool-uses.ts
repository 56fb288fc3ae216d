import type { ToolTally } from '../canonical/observation.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { readCount } from '../canonical/usage.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** Counts the hosted tools of one response. */
export interface ToolReader {
  /** A response object, as far as it has come. */
  response(response: JsonObject): void
  /** An item that has been added to the answer, or is done; `index` where it stands. */
  item(item: JsonObject, index: unknown): void
}

/** Items of the answer that are each one use of a tool. */
const itemTools = new Map<unknown, HostedTool>([
  ['file_search_call', 'file_search'],
  ['image_generation_call', 'image_generation'],
  ['x_search_call', 'x_search'],
  ['computer_call', 'computer_use'],
  ['mcp_call', 'mcp'],
])

/**
 * How OpenAI bills them (its price list): a search for each `search`, not for the opening of pages,
 * and as the response's `tool_usage` says where it does; containers once each, by their memory; the
 * other calls one by one.
 */
export function createToolReader(tally: ToolTally): ToolReader {
  let search: HostedTool = 'web_search'
  let gigabytes = 1

  function item(item: JsonObject, index: unknown): void {
    const { type } = item
    const id = stringIn(item, 'id') ?? `#${index}`
    const tool = itemTools.get(type)
    if (tool !== undefined) tally.note(tool, id)
    else if (type === 'web_search_call') {
      // Which kind of action it is comes with the finished item.
      if (isSearch(item)) tally.note(search, id)
    } else if (type === 'code_interpreter_call') {
      tally.note('code_execution', stringIn(item, 'container_id') ?? id, gigabytes)
    } else if (type === 'shell_call') {
      const container = stringIn(objectIn(item, 'environment'), 'container_id')
      if (container !== undefined) tally.note('code_execution', container, gigabytes)
    } else if (type === 'tool_search_call' && item.execution !== 'client') {
      tally.note('tool_search', id)
    }
  }

  return {
    item,
    response(response) {
      for (const tool of arrayIn(response, 'tools')) {
        if (!isJsonObject(tool)) continue
        if (`${tool.type}`.startsWith('web_search_preview')) search = 'web_search_preview'
        gigabytes = Math.max(gigabytes, memoryOf(tool.container), memoryOf(tool.environment))
      }
      arrayIn(response, 'output').forEach((entry, index) => {
        if (isJsonObject(entry)) item(entry, index)
      })
      const told = objectIn(objectIn(response, 'tool_usage'), 'web_search')?.num_requests
      const searches = readCount(told)
      if (searches !== undefined) tally.told(search, searches)
    },
  }
}

const isSearch = ({ action, status }: JsonObject) =>
  isJsonObject(action) ? (action.type ?? 'search') === 'search' : status === 'completed'

/** A container of `4g` is billed as four of `1g`. */
function memoryOf(container: unknown): number {
  const limit = isJsonObject(container) ? stringIn(container, 'memory_limit') : undefined
  const size = Number(/^(\d{1,4})g$/.exec(limit ?? '')?.[1])
  return Number.isInteger(size) ? size : 1
}
