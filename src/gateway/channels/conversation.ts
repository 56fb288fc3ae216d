import { protocols } from '../../protocols/index.ts'
import { arrayIn, isJsonObject, stringIn } from '../../protocols/json.ts'
import type { JsonObject, Protocol, ProtocolName } from '../../protocols/protocol.ts'

/** Identifies the conversation that several requests belong to. */
export interface Conversation {
  readonly key: string
  /** An earlier request began it: the client says so, or it holds a model's answer. */
  readonly isBegun: boolean
}

const sessionHeaders = [
  'session_id',
  'session-id',
  'x-session-affinity',
  'x-session-id',
  'conversation_id',
  'x-claude-code-session-id',
  'thread-id',
] as const

const maxPart = 4096
const maxVisits = 256

interface ConversationHints {
  readonly model?: string | undefined
  readonly whole?: (text: string) => string
}

const asItIs = (text: string) => text

/** The conversation of a request: by the client's hint, else by its opening; undefined: unknown. */
export function conversationOf(
  protocol: ProtocolName,
  body: JsonObject,
  headerHint: string | undefined,
  { model = stringIn(body, 'model') ?? '', whole = asItIs }: ConversationHints = {},
): Conversation | undefined {
  const spoken = protocols[protocol]
  const hint = spoken.conversationHint?.(body) ?? headerHint
  if (hint !== undefined)
    return { key: hashOf('hint', model, whole(hint).slice(0, maxPart)), isBegun: true }
  const { system, user, isBegun } = readOpening(spoken, body, whole)
  return user === '' ? undefined : { key: hashOf('opening', model, system, user), isBegun }
}

const hashOf = (...parts: readonly string[]) => Bun.hash(parts.join('\0')).toString(36)

export function hintInHeaders(headers: Headers): string | undefined {
  for (const name of sessionHeaders) {
    const value = headers.get(name)
    if (value) return value
  }
  return undefined
}

interface Opening {
  readonly system: string
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
    // Items of a response without a role are not the client's.
    const role = turn.role ?? impliedRole
    if (systemRoles.includes(role)) {
      if (user === undefined) system.push(turn.content)
    } else if (role === 'user') user ??= turn.content ?? turn.parts ?? ''
    else isBegun = true
    if (isBegun && user !== undefined) break
  }
  return { system: prefixOf(system), user: prefixOf(user), isBegun }
}

/** Fields that tell contents apart. */
const distinctFields = [
  'text',
  'content',
  'parts',
  'image_url',
  'url',
  'source',
  'inlineData',
  'data',
]

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
  return isJsonObject(value) ? distinctFields.map((field) => value[field]) : []
}
