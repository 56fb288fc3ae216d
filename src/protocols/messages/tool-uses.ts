import type { HostedTool } from '../canonical/hosted-tools.ts'
import type { ToolTally } from '../canonical/tool-tally.ts'
import { isJsonObject, stringIn } from '../json.ts'

/** Tools by the names that their calls have; all else of `server_tool_use` is not billed by use. */
const toolNames: readonly (readonly [name: RegExp, tool: HostedTool])[] = [
  [/^web_search$/, 'web_search'],
  [/^web_fetch$/, 'web_fetch'],
  [/code_execution$/, 'code_execution'],
  [/^tool_search/, 'tool_search'],
]

/** Notes a content block that is the use of a tool which the vendor runs. */
export function observeBlock(tally: ToolTally, block: unknown): void {
  if (!isJsonObject(block)) return
  const { type } = block
  if (type !== 'server_tool_use' && type !== 'mcp_tool_use') return
  const id = stringIn(block, 'id') ?? ''
  const name = stringIn(block, 'name') ?? ''
  const named = toolNames.find(([pattern]) => pattern.test(name))?.[1]
  const tool = type === 'mcp_tool_use' ? 'mcp' : named
  // All code of an answer runs in one container.
  if (tool !== undefined) tally.note(tool, tool === 'code_execution' ? '' : id)
}
