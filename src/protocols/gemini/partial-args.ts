import { arrayIn, isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

export type PartialArgs = ReturnType<typeof createPartialArgs>

/** Assembles arguments from pieces with a path (`$.items[0].name`): Vertex streams them on request. */
export function createPartialArgs() {
  const root = new Map<Step, unknown>()
  return {
    push(call: JsonObject): void {
      for (const piece of arrayIn(call, 'partialArgs')) {
        if (!isJsonObject(piece) || typeof piece.jsonPath !== 'string') continue
        const steps = stepsOf(piece.jsonPath)
        if (steps.length > 0) put(root, steps, piece)
      }
    },
    args: () => toObject(root),
  }
}

type Step = string | number
type Node = Map<Step, unknown>

const deepest = 64

function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = []
  const pattern = /\.([^.[\]]+)|\[(\d{1,6})\]|\[(?:'([^']*)'|"([^"]*)")\]/g
  for (const [, name, place, single, double] of path.matchAll(pattern)) {
    steps.push(place === undefined ? (name ?? single ?? double ?? '') : Number(place))
  }
  return steps.length <= deepest ? steps : []
}

function put(root: Node, steps: readonly Step[], piece: JsonObject): void {
  let node = root
  for (const step of steps.slice(0, -1)) {
    const next = node.get(step)
    const child: Node = next instanceof Map ? next : new Map()
    if (child !== next) node.set(step, child)
    node = child
  }
  const last = steps.at(-1) ?? ''
  const value = pieceValue(piece)
  if (value === undefined) return
  const before = node.get(last)
  const isMore = typeof before === 'string' && typeof value === 'string'
  node.set(last, isMore ? before + value : value)
}

function pieceValue(piece: JsonObject): unknown {
  if (typeof piece.stringValue === 'string') return piece.stringValue
  if (typeof piece.numberValue === 'number') return piece.numberValue
  if (typeof piece.boolValue === 'boolean') return piece.boolValue
  return piece.nullValue === undefined ? undefined : null
}

function toObject(node: Node): JsonObject {
  return Object.fromEntries([...node].map(([step, value]) => [`${step}`, toValue(value)]))
}

function toValue(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const node: Node = value
  const places = [...node.keys()].filter((step) => typeof step === 'number')
  if (places.length < node.size) return toObject(node)
  // This vendor leaves no holes: one would only waste memory.
  return places.sort((a, b) => a - b).map((place) => toValue(node.get(place)))
}
