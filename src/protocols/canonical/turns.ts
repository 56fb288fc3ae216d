import type { CanonicalRequest, Part, Role, ToolCallPart, Turn } from './request.ts'

/** A message of any protocol, before messages are merged into turns. */
export interface MessageParts {
  readonly role: Role
  readonly parts: readonly Part[]
}

/** Merges consecutive messages of one role into turns. Results get the name and kind of their call. */
export function toTurns(messages: readonly MessageParts[]): readonly Turn[] {
  const turns: { role: Role; parts: Part[] }[] = []
  const calls = new Map<string, ToolCallPart>()
  for (const { role, parts } of messages) {
    const last = turns.at(-1)
    const merges = last?.role === role && (role === 'user' || role === 'assistant')
    const turn = merges && last ? last : { role, parts: [] }
    if (turn !== last) turns.push(turn)
    for (const part of parts) {
      if (part.type === 'tool-call') calls.set(part.callId, part)
      turn.parts.push(nameResult(part, calls))
    }
  }
  return turns
}

function nameResult(part: Part, calls: ReadonlyMap<string, ToolCallPart>): Part {
  if (part.type !== 'tool-result') return part
  const call = calls.get(part.callId)
  return call === undefined ? part : { ...part, name: call.name, kind: call.kind }
}

/** The number of leading instruction turns: the system prompt. */
export function countLeadingInstructions(turns: readonly Turn[]): number {
  const first = turns.findIndex(({ role }) => role === 'user' || role === 'assistant')
  return first === -1 ? turns.length : first
}

/** Turns with changed parts; a turn that loses all of its parts is removed. */
export function changeParts(
  turns: readonly Turn[],
  change: (turn: Turn) => readonly Part[],
): readonly Turn[] {
  const changed = turns.flatMap((turn): readonly Turn[] => {
    const parts = change(turn)
    return parts.length > 0 || turn.parts.length === 0 ? [{ ...turn, parts }] : []
  })
  return toTurns(changed)
}

/** Whether a conversation is likely to continue with what was sent so far. */
export function expectsNextTurn({ turns, tools, toolChoice }: CanonicalRequest): boolean {
  if (turns.some(({ role }) => role === 'assistant')) return true
  return tools.length > 0 && toolChoice?.type !== 'tool'
}
