import { refuseValue } from '../canonical/error.ts'
import type { NativeUse, Part, ToolCallPart, ToolResultPart, Turn } from '../canonical/request.ts'
import { type MessageParts, toTurns } from '../canonical/turns.ts'
import { isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { cacheHint } from './cache.ts'
import { decodeCall } from './calls.ts'
import { decodeContent } from './decode-content.ts'
import { eachObject, readList, readName, readText } from './fields.ts'
import { decodeImages } from './media.ts'
import { createOpenCalls, type OpenCalls } from './open-calls.ts'
import { decodeReasoning } from './reasoning.ts'

/** What decoding one message needs of the others. */
interface Conversation {
  readonly native: NativeUse[]
  /** For results that do not name their call. */
  readonly open: OpenCalls
}

/** Decodes the conversation. Instructions without any text say nothing, and are left out. */
export function decodeMessages(messages: readonly unknown[], native: NativeUse[]): readonly Turn[] {
  const conversation: Conversation = { native, open: createOpenCalls() }
  const decoded = eachObject(messages, 'messages', (message, at, index) =>
    decodeMessage(message, at, index, conversation),
  )
  return toTurns(
    decoded.filter(
      ({ role, parts }) => parts.length > 0 || role === 'user' || role === 'assistant',
    ),
  )
}

function decodeMessage(
  message: JsonObject,
  at: string,
  index: number,
  conversation: Conversation,
): MessageParts {
  const { native } = conversation
  const name = readText(message, 'name', at)
  switch (message.role) {
    case 'system':
    case 'developer': {
      const parts = decodeContent(message.content, { at, native, name, kinds: instructionKinds })
      return { role: message.role, parts: withCache(parts, message) }
    }
    case 'user': {
      const parts = decodeContent(message.content, { at, native, name, kinds: userKinds })
      return { role: 'user', parts: withCache(parts, message) }
    }
    case 'assistant':
      return { role: 'assistant', parts: decodeAssistant(message, at, index, conversation) }
    case 'tool':
    case 'function':
      return { role: 'user', parts: [decodeResult(message, at, index, conversation)] }
    default:
      return refuseValue(
        `${at}.role`,
        'one of system, developer, user, assistant, tool and function',
      )
  }
}

const instructionKinds = new Set<Part['type']>(['text'])
const userKinds = new Set<Part['type']>(['text', 'image', 'document', 'audio', 'video'])
const assistantKinds = new Set<Part['type']>(['text', 'refusal', 'reasoning', 'image'])

/** A mark on the message itself (OpenRouter) is one on its last part. */
function withCache(parts: readonly Part[], message: JsonObject): readonly Part[] {
  const cache = cacheHint(message)
  const last = parts.at(-1)
  return cache === undefined || last === undefined
    ? parts
    : [...parts.slice(0, -1), { ...last, cache }]
}

function decodeAssistant(
  message: JsonObject,
  at: string,
  index: number,
  { native, open }: Conversation,
): readonly Part[] {
  const name = readText(message, 'name', at)
  const content = decodeContent(message.content, { at, native, name, kinds: assistantKinds })
  const refusal = readText(message, 'refusal', at)
  if (isJsonObject(message.audio)) native.push({ feature: 'stored_state', at: `${at}.audio` })
  const spoken: Part[] = [
    ...decodeReasoning(message, at),
    ...content,
    ...(refusal ? [{ type: 'refusal', text: refusal, at } as const] : []),
    ...decodeImages(message).map((image) => ({ ...image, at: `${at}.images` })),
  ]
  const calls: ToolCallPart[] = []
  eachObject(readList(message, 'tool_calls', at), `${at}.tool_calls`, (wire, callAt, place) => {
    const call = decodeCall(wire, callAt, place === 0 ? `call_${index}` : `call_${index}_${place}`)
    if (call === undefined) native.push({ feature: 'unknown_part', at: callAt })
    else calls.push(call)
  })
  const legacy = objectIn(message, 'function_call')
  if (legacy !== undefined) {
    const call = decodeCall({ function: legacy }, `${at}.function_call`, `call_${index}`)
    if (call !== undefined) calls.push(call)
  }
  for (const call of calls) open.add(call)
  return [...withCache(spoken, message), ...calls]
}

/** The result of a call. Without an id (role `function`, some imitators) it answers the next one. */
function decodeResult(
  message: JsonObject,
  at: string,
  index: number,
  { native, open }: Conversation,
): ToolResultPart {
  const name = readText(message, 'name', at) ?? ''
  const given = message.role === 'tool' ? readText(message, 'tool_call_id', at) : undefined
  const call = given ? open.take(given) : open.takeNext(name)
  const invented = message.role === 'function' ? `call_${index}` : undefined
  const callId = given || call?.callId || invented
  const parts = decodeContent(message.content, { at, native, kinds: resultKinds })
  return {
    type: 'tool-result',
    callId: callId ?? readName(message, 'tool_call_id', at),
    name: call?.name ?? name,
    kind: call?.kind ?? 'function',
    parts: parts.filter(
      (part) => part.type === 'text' || part.type === 'image' || part.type === 'document',
    ),
    at,
    cache: cacheHint(message),
  }
}

const resultKinds = new Set<Part['type']>(['text', 'image', 'document'])
