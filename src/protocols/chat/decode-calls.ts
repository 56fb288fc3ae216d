import { Brackets, toJsonText } from '../canonical/json-text.ts'
import type { ToolKind } from '../canonical/request.ts'
import type { EventSink } from '../canonical/sink.ts'
import { countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

interface Call {
  readonly block: string
  readonly kind: ToolKind
  givenId: string | undefined
  name: string
  held: string
  readonly brackets: Brackets
  phase: 'waiting' | 'open' | 'ended'
  hasInput: boolean
}

/**
 * Assembles the calls of one choice from pieces. Vendors identify them by `index`, by id, or by a new name after
 * complete arguments; some split the name, so a call starts with its first arguments.
 */
export function createCallDecoder(choice: number, sink: EventSink, beforeCall: () => void) {
  const active = new Set<Call>()
  let last: Call | undefined
  let hasCalls = false
  const atIndex = new Map<number, Call>()
  const byId = new Map<string, Call>()
  const taken = new Set<string>()

  function find(entry: JsonObject, { name, input }: Piece): Call | undefined {
    const index = countIn(entry, 'index')
    const id = stringIn(entry, 'id')
    const call = index !== undefined ? atIndex.get(index) : id !== undefined ? byId.get(id) : last
    if (call === undefined) {
      // An id that comes with a later piece.
      return index === undefined && name === undefined ? last : undefined
    }
    if (name === undefined) return call
    const isOther = id !== undefined && call.givenId !== undefined && id !== call.givenId
    const isSame = id === undefined ? name === call.name && input === '' : id === call.givenId
    const isNext = isWhole(call) || (index === undefined && id === undefined)
    return isOther || (isNext && !isSame) ? undefined : call
  }

  function begin(entry: JsonObject, kind: ToolKind): Call {
    // Earlier calls start first: calls keep the order of their first pieces.
    for (const call of active) start(call)
    const [oldest] = active.size < mostActive ? [] : active
    if (oldest !== undefined) end(oldest)
    const index = countIn(entry, 'index')
    const call: Call = {
      block: sink.nextBlock(),
      kind,
      givenId: undefined,
      name: '',
      held: '',
      brackets: new Brackets(),
      phase: 'waiting',
      hasInput: false,
    }
    active.add(call)
    last = call
    if (index !== undefined) atIndex.set(index, call)
    return call
  }

  function start(call: Call): void {
    const { block, name, kind, givenId, held } = call
    if (call.phase !== 'waiting' || name === '') return
    const isFree = givenId !== undefined && !taken.has(givenId)
    const callId = isFree ? givenId : sink.nextCall()
    taken.add(callId)
    call.phase = 'open'
    hasCalls = true
    beforeCall()
    sink.push({ type: 'tool-call-start', id: block, choice, callId, name, kind })
    if (held !== '') add(call, held)
  }

  function add(call: Call, text: string): void {
    call.hasInput = true
    sink.push({ type: 'tool-call-delta', id: call.block, text })
  }

  function end(call: Call): void {
    start(call)
    active.delete(call)
    const isOpen = call.phase === 'open'
    call.phase = 'ended'
    if (!isOpen) return
    if (!call.hasInput && call.kind === 'function') add(call, '{}')
    sink.push({ type: 'tool-call-end', id: call.block })
  }

  function settle(except?: Call): void {
    for (const call of active)
      if (call !== except && call.phase === 'open' && isWhole(call)) end(call)
  }

  return {
    push(entry: JsonObject): void {
      const piece = readPiece(entry)
      const { kind, name, input } = piece
      const call = find(entry, piece) ?? begin(entry, kind)
      if (call.phase === 'ended') return
      const id = stringIn(entry, 'id')
      if (id !== undefined && call.givenId === undefined) {
        call.givenId = id
        byId.set(id, call)
      }
      if (call.phase === 'waiting' && name !== undefined && name !== call.name) call.name += name
      if (input === '') return
      call.brackets.push(input)
      if (call.phase === 'waiting' && call.name === '') call.held += input
      else {
        settle(call)
        start(call)
        add(call, input)
      }
    },
    settle: () => settle(),
    close(): void {
      for (const call of active) end(call)
    },
    hasCalls: () => hasCalls,
  }
}

/** Concurrent calls, at most: more than any SDK accepts. The oldest ends first. */
const mostActive = 128

const isWhole = ({ kind, brackets }: Call) => kind === 'function' && brackets.isWhole

type Piece = ReturnType<typeof readPiece>

/** Arguments may be an object instead of text. Snowflake sends the members of both kinds. */
function readPiece(entry: JsonObject) {
  const custom = objectIn(entry, 'custom')
  const call = objectIn(entry, 'function')
  const name = stringIn(custom, 'name')
  const isCustom =
    entry.type === 'custom' || call === undefined || (entry.type !== 'function' && name)
  if (custom && isCustom)
    return { kind: 'custom', name, input: stringIn(custom, 'input') ?? '' } as const
  const wire = call?.arguments
  const input = isJsonObject(wire) ? toJsonText(wire) : wire
  const text = typeof input === 'string' ? input : ''
  return { kind: 'function', name: stringIn(call, 'name'), input: text } as const
}
