import { refuseValue } from '../canonical/error.ts'
import type { Part, ReasoningPart, Role, Turn } from '../canonical/request.ts'
import { toTurns } from '../canonical/turns.ts'
import { isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { camelNames, listOf, type Note, written } from './names.ts'
import { createPairing } from './pairing.ts'
import { decodePart, type PartContext } from './parts.ts'
import { isWrapped } from './signature.ts'

/** The system instruction and the contents of a request, as turns. */
export function decodeTurns(body: JsonObject, note: Note): readonly Turn[] {
  const { systemInstruction, contents } = camelNames(body)
  const context = { note, pairing: createPairing() }
  const messages: Message[] = []
  const isList = Array.isArray(contents)
  listOf(contents).forEach((content, index) => {
    const at = isList ? `contents[${index}]` : 'contents'
    if (!isJsonObject(content)) refuseValue(at, 'an object with "parts"')
    decodeContent(content, at, index, messages, context)
  })
  const system = decodeSystem(systemInstruction, written(body, 'systemInstruction'), note)
  return [...system, ...toTurns(messages)]
}

/** A vendor's own message of text; a bare text stands for one. */
function decodeSystem(instruction: unknown, at: string, note: Note): readonly Turn[] {
  if (typeof instruction === 'string') {
    return instruction === ''
      ? []
      : [{ role: 'system', parts: [{ type: 'text', at, text: instruction }] }]
  }
  if (!isJsonObject(instruction)) return []
  const parts = listOf(camelNames(instruction).parts).flatMap((part, index): Part[] => {
    const partAt = `${at}.parts[${index}]`
    const text = isJsonObject(part) ? part.text : part
    if (typeof text !== 'string') note('unknown_part', partAt)
    return typeof text !== 'string' || text === '' ? [] : [{ type: 'text', at: partAt, text }]
  })
  return parts.length === 0 ? [] : [{ role: 'system', parts }]
}

interface Message {
  readonly role: Role
  readonly parts: Part[]
  /** Which content its last part comes from. */
  last: number | undefined
}

function decodeContent(
  content: JsonObject,
  at: string,
  contentIndex: number,
  messages: Message[],
  context: PartContext,
): void {
  const role = roleOf(content, at)
  if (role === 'assistant') context.pairing.beginModel()
  else context.pairing.beginUser()
  const { parts } = content
  let isEmpty = true
  const isList = Array.isArray(parts)
  listOf(parts).forEach((wire, index) => {
    const partAt = isList ? `${at}.parts[${index}]` : `${at}.parts`
    if (!isJsonObject(wire)) refuseValue(partAt, 'an object')
    const isOurs = isWrapped(stringIn(camelNames(wire), 'thoughtSignature') ?? '')
    for (const part of decodePart(wire, partAt, `${contentIndex}_${index}`, context)) {
      const side = sideOf(part, role)
      if (side === undefined) continue
      addPart(part, messageOf(side, messages), isOurs, contentIndex)
      isEmpty = false
    }
  })
  // It is a turn even if nothing of it remains.
  if (isEmpty) messageOf(role, messages)
}

/** Missing is the user; results of functions have come from the roles `function` and `tool` too. */
function roleOf(content: JsonObject, at: string): 'user' | 'assistant' {
  switch (content.role ?? 'user') {
    case 'user':
    case 'function':
    case 'tool':
    case '':
      return 'user'
    case 'model':
      return 'assistant'
    default:
      return refuseValue(`${at}.role`, '"user" or "model"')
  }
}

/** Calls are the model's and results the user's, whatever content they are in; users do not reason. */
function sideOf(part: Part, role: 'user' | 'assistant'): 'user' | 'assistant' | undefined {
  if (part.type === 'tool-call') return 'assistant'
  if (part.type === 'tool-result') return 'user'
  if (part.type !== 'reasoning' || role === 'assistant') return role
  return part.callId === undefined ? undefined : 'assistant'
}

/** The last message, if it has this role, else a new one. */
function messageOf(role: Role, messages: Message[]): Message {
  const last = messages.at(-1)
  if (last?.role === role) return last
  const message = { role, parts: [], last: undefined }
  messages.push(message)
  return message
}

/** Longer runs of text are not searched for their beginning. */
const longestRun = 64

/**
 * Adds a part to its message. A signature that this gateway wrote has waited for its carrier, so it
 * comes behind the text that it was before: there it goes back to, as its vendor wants it.
 */
function addPart(part: Part, message: Message, isOurs: boolean, contentIndex: number): void {
  const { parts, role, last } = message
  const before = parts.at(-1)
  const isChunk = role === 'assistant' && last !== undefined && last < contentIndex
  message.last = contentIndex
  const joint = isChunk && before !== undefined ? joinChunks(before, part) : undefined
  if (joint !== undefined) {
    parts[parts.length - 1] = joint
    return
  }
  const place = isOurs && part.type === 'reasoning' ? startOfText(parts) : parts.length
  parts.splice(place, 0, part)
}

/**
 * The vendor's SDKs keep a streamed answer as one content for each chunk: what the model said in a
 * row, cut anywhere, is one text. Undefined for parts that are none.
 */
function joinChunks(before: Part, part: Part): Part | undefined {
  const isText = before.type === 'text' && part.type === 'text'
  const isThought = isUnsigned(before) && isUnsigned(part)
  return isText || isThought ? { ...before, text: before.text + part.text } : undefined
}

const isUnsigned = (part: Part): part is ReasoningPart =>
  part.type === 'reasoning' && part.signature === undefined

/** Where the run of text begins that these parts end with. */
function startOfText(parts: readonly Part[]): number {
  const lowest = Math.max(0, parts.length - longestRun)
  for (let at = parts.length; at > lowest; at--) {
    if (parts[at - 1]?.type !== 'text') return at
  }
  return lowest === 0 ? 0 : parts.length
}
