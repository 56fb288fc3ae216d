import type { Tool } from './request.ts'

/**
 * The tool that a call or a choice means by its name, the first where several have it. A request may have
 * thousands of both: each list of tools is indexed once.
 */
export function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  let index = indexes.get(tools)
  if (index === undefined) {
    index = new Map()
    for (const tool of tools) if (!index.has(tool.name)) index.set(tool.name, tool)
    indexes.set(tools, index)
  }
  return index.get(name)
}

const indexes = new WeakMap<readonly Tool[], Map<string, Tool>>()
