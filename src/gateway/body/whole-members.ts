import { isJsonObject } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import type { Path } from '../../protocols/request-extras.ts'

/** Says something of tools only, and is refused where there are none. */
const ofTools = ['tool_choice', 'parallel_tool_calls', 'toolConfig', 'tool_config']

interface Node {
  isWhole: boolean
  readonly inside: Map<string | number, Node>
}

/**
 * The paths, and in the place of all members of a list or an object the list or object itself: an
 * empty one is refused by most vendors. Without tools nothing is said of them either.
 */
export function wholeMembers(body: JsonObject, paths: readonly Path[]): readonly Path[] {
  const root: Node = { isWhole: false, inside: new Map() }
  for (const path of paths) addTo(root, path)
  const found: Path[] = []
  const collect = (node: Node, value: unknown, path: Path): void => {
    for (const [step, inner] of node.inside) {
      const at = [...path, step]
      const member = isHolder(value) ? value[step] : undefined
      if (isWhole(inner, member)) found.push(at)
      else collect(inner, member, at)
    }
  }
  collect(root, body, [])
  const hasNoTools = found.some(([first, ...rest]) => first === 'tools' && rest.length === 0)
  if (!hasNoTools) return found
  const others = found.filter(([first]) => !ofTools.includes(`${first}`))
  return [...others, ...ofTools.filter((name) => body[name] !== undefined).map((name) => [name])]
}

function addTo(root: Node, path: Path): void {
  let at = root
  for (const step of path) {
    const next = at.inside.get(step) ?? { isWhole: false, inside: new Map() }
    at.inside.set(step, next)
    at = next
  }
  at.isWhole = true
}

/** Taken out by itself, or in all of its members. */
function isWhole(node: Node, value: unknown): boolean {
  if (node.isWhole) return true
  if (node.inside.size < sizeOf(value) || !isHolder(value)) return false
  for (const [step, inner] of node.inside) if (!isWhole(inner, value[step])) return false
  return true
}

const isHolder = (value: unknown): value is { readonly [step: string | number]: unknown } =>
  typeof value === 'object' && value !== null

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return isJsonObject(value) ? Object.keys(value).length : Number.POSITIVE_INFINITY
}
