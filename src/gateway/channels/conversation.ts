import { protocols } from '../../protocols/index.ts'
import { arrayIn, isJsonObject, stringIn } from '../../protocols/json.ts'
import type { JsonObject, Protocol, ProtocolName } from '../../protocols/protocol.ts'

/** What several requests have in common that belong to one conversation. */
export interface Conversation {
  readonly key: string
  /** An earlier request began it: the client says so, or there is an answer of the model in it. */
  readonly isBegun: boolean
}

/** Headers in which clients name their sessions. */
const sessionHeaders = [
  'session_id',
  'session-id',
  'x-session-affinity',
  'x-session-id',
  'conversation_id',
  'x-claude-code-session-id',
  'thread-id',
] as const

/** So much of each part is looked at, in characters. */
const maxPart = 4096
const maxVisits = 256

interface Beside {
  readonly model?: string | undefined
  /** Gives the whole of a text that stands shortened in the body. */
  readonly whole?: (text: string) => string
}

const asItIs = (text: string) => text

/**
 * The conversation of a request: by the client's hint, else by what it begins with; undefined:
 * unknown.
 */
export function conversationOf(
  protocol: ProtocolName,
  body: JsonObject,
  headerHint: string | undefined,
  { model = stringIn(body, 'model') ?? '', whole = asItIs }: Beside = {},
): Conversation | undefined {
  const spoken = protocols[protocol]
  const hint = spoken.conversationHint?.(body) ?? headerHint
  if (hint !== undefined)
    return { key: hashOf('hint', model, whole(hint).slice(0, maxPart)), isBegun: true }
  const { system, user, isBegun } = readOpening(spoken, body, whole)
  return user === '' ? undefined : { key: hashOf('opening', model, system, user), isBegun }
}

const hashOf = (...parts: readonly string[]) => Bun.hash(parts.join('\0')).toString(36)

/** The session that a client's headers name. */
export function hintInHeaders(headers: Headers): string | undefined {
  for (const name of sessionHeaders) {
    const value = headers.get(name)
    if (value) return value
  }
  return undefined
}

interface Opening {
  readonly system: string
  /** The client's first message; empty when there is none. */
  readonly user: string
  readonly isBegun: boolean
}

const systemRoles: readonly unknown[] = ['system', 'developer']

function readOpening(
  { spelling, impliedRole }: Protocol,
  body: JsonObject,
  whole: (text: string) => string,
): Opening {
  const prefixOf = (value: unknown) => prefixOfWhole(value, whole)
  const system = [body.system, body.instructions, body.systemInstruction, body.system_instruction]
  if (typeof body.input === 'string') {
    return { system: prefixOf(system), user: prefixOf(body.input), isBegun: false }
  }
  let user: unknown
  let isBegun = false
  for (const turn of arrayIn(body, spelling.conversation)) {
    if (!isJsonObject(turn)) continue
    // Items of a response without one are no client's.
    const role = turn.role ?? impliedRole
    if (systemRoles.includes(role)) {
      if (user === undefined) system.push(turn.content)
    } else if (role === 'user') user ??= turn.content ?? turn.parts ?? ''
    else isBegun = true
    if (isBegun && user !== undefined) break
  }
  return { system: prefixOf(system), user: prefixOf(user), isBegun }
}

/** Where contents have what tells them from others. */
const toldFields = ['text', 'content', 'parts', 'image_url', 'url', 'source', 'inlineData', 'data']

/** The beginning of a value's texts, each with its length: long ones often begin alike. */
function prefixOfWhole(value: unknown, whole: (text: string) => string): string {
  const found: string[] = []
  let left = maxPart
  let visits = 0
  const visit = (part: unknown): void => {
    visits++
    if (typeof part === 'string' && part !== '') {
      const text = whole(part)
      found.push(text.slice(0, left), String(text.length))
      left -= text.length
    }
    for (const inner of partsOf(part)) {
      if (left <= 0 || visits >= maxVisits) return
      visit(inner)
    }
  }
  visit(value)
  return found.join('\0')
}

function partsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return isJsonObject(value) ? toldFields.map((field) => value[field]) : []
}
