import { refuseValue } from '../canonical/error.ts'
import {
  type Effort,
  efforts,
  type ReasoningPart,
  type ReasoningSettings,
} from '../canonical/request.ts'
import type { EventSink } from '../canonical/sink.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'

type Amount = NonNullable<ReasoningSettings['amount']>

/** Reasoning by `reasoning_effort` (OpenAI), `reasoning` (OpenRouter) or `thinking` (DeepSeek, Z.ai). */
export function decodeReasoningSettings(body: JsonObject): ReasoningSettings | undefined {
  const settings = read.object(body, 'reasoning')
  const amount =
    decodeEffort(read.text(body, 'reasoning_effort'), 'reasoning_effort') ??
    (settings && decodeSettings(settings)) ??
    decodeThinking(objectIn(body, 'thinking'))
  const isHidden = settings?.exclude === true || body.include_reasoning === false
  const show = isHidden ? 'none' : shows.find((name) => name === settings?.summary)
  return amount === undefined && show === undefined ? undefined : { amount, show }
}

const shows = ['auto', 'concise', 'detailed'] as const

function decodeEffort(name: string | undefined, at: string): Amount | undefined {
  if (name === undefined || name === 'default') return undefined
  if (name === 'none') return { type: 'off' }
  const effort = efforts.find((known) => known === name)
  return effort === undefined
    ? refuseValue(at, `one of none, ${efforts.join(', ')}`)
    : { type: 'effort', effort }
}

function decodeSettings(settings: JsonObject): Amount | undefined {
  if (settings.enabled === false) return { type: 'off' }
  const effort = decodeEffort(read.text(settings, 'effort', 'reasoning'), 'reasoning.effort')
  if (effort !== undefined) return effort
  const tokens = read.number(settings, 'max_tokens')
  if (tokens !== undefined) return tokens > 0 ? { type: 'budget', tokens } : { type: 'off' }
  return settings.enabled === true ? { type: 'auto' } : undefined
}

function decodeThinking(thinking: JsonObject | undefined): Amount | undefined {
  if (thinking?.type === 'disabled') return { type: 'off' }
  if (thinking?.type !== 'enabled') return undefined
  const tokens = read.number(thinking, 'budget_tokens')
  return tokens !== undefined && tokens > 0 ? { type: 'budget', tokens } : { type: 'auto' }
}

/** An amount as OpenAI's effort; undefined: the model decides. */
export function encodeEffort(amount: Amount | undefined): Effort | 'none' | undefined {
  if (amount?.type === 'effort') return amount.effort
  if (amount?.type === 'budget') return effortOf(amount.tokens)
  return amount?.type === 'off' ? 'none' : undefined
}

/** The effort with the nearest budget, as Google and OpenRouter translate them. */
function effortOf(tokens: number): Effort {
  if (tokens <= 1_024) return 'low'
  return tokens <= 8_192 ? 'medium' : 'high'
}

interface ReasoningDetail {
  readonly text: string
  readonly signature: string | undefined
  readonly id: string | undefined
  readonly index: number | undefined
  readonly isOwn: boolean
}

const ownFormat = 'tollgate'

/** The details of a message or delta, without unknown types. */
function readDetails(message: JsonObject): readonly ReasoningDetail[] {
  return arrayIn(message, 'reasoning_details').flatMap((detail) => {
    if (!isJsonObject(detail)) return []
    const { type, index } = detail
    const id = stringIn(detail, 'id')
    const place = typeof index === 'number' ? index : undefined
    const detailOf = (text: string | undefined, signature: string | undefined) =>
      text === undefined && signature === undefined
        ? []
        : [{ text: text ?? '', signature, id, index: place, isOwn: detail.format === ownFormat }]
    if (type === 'reasoning.text') {
      return detailOf(stringIn(detail, 'text'), stringIn(detail, 'signature'))
    }
    if (type === 'reasoning.summary') return detailOf(stringIn(detail, 'summary'), undefined)
    return type === 'reasoning.encrypted' ? detailOf(undefined, stringIn(detail, 'data')) : []
  })
}

/** Whether a detail continues the stretch of an earlier one. */
export function continues(
  earlier: Pick<ReasoningDetail, 'signature' | 'id' | 'index'>,
  detail: ReasoningDetail,
): boolean {
  if (earlier.signature !== undefined) return false
  if (earlier.index !== undefined && detail.index !== undefined) {
    return earlier.index === detail.index
  }
  return earlier.id === undefined || detail.id === undefined || earlier.id === detail.id
}

/** Reasoning as plain text; names differ by vendor, and some send it twice. */
function plainReasoning(message: JsonObject): string | undefined {
  return stringIn(message, 'reasoning_content') ?? stringIn(message, 'reasoning')
}

/** The reasoning of a whole message. Where details have the text, the plain text repeats it. */
export function decodeReasoning(message: JsonObject, at?: string): readonly ReasoningPart[] {
  const parts: { text: string; signature: string | undefined; id: string | undefined }[] = []
  let last: ReasoningDetail | undefined
  for (const detail of readDetails(message)) {
    const open = parts.at(-1)
    const { text, signature, id } = detail
    if (open !== undefined && last !== undefined && continues({ ...last, ...open }, detail)) {
      open.text += text
      open.signature = signature
      open.id ??= id
    } else {
      parts.push({ text, signature, id })
    }
    last = detail
  }
  const plain = plainReasoning(message)
  // Spaces alone are a stand-in (encode-request.ts).
  if (plain?.trim() && parts.every(({ text }) => text === '')) {
    const [only] = parts
    // A seal stands for itself; another vendor's signature belongs to the adjacent text.
    if (only !== undefined && parts.length === 1 && last?.isOwn === false) only.text = plain
    else parts.push({ text: plain, signature: undefined, id: undefined })
  }
  return parts.map((part) => ({ type: 'reasoning', ...part, at }))
}

/** Signed reasoning for a client to send back, as an entry of `reasoning_details`. */
export function encodeDetail(signature: string, id: string | undefined, index: number): JsonObject {
  return { type: 'reasoning.encrypted', data: signature, id: id ?? null, format: ownFormat, index }
}

/** Stretches of reasoning as one text. */
export function joinReasoning(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
}

/** The text of a `thinking` part (Mistral): a string, or parts of text. */
export function thinkingText(part: JsonObject): string {
  if (typeof part.thinking === 'string') return part.thinking
  return arrayIn(part, 'thinking')
    .map((thought) =>
      isJsonObject(thought) && typeof thought.text === 'string' ? thought.text : '',
    )
    .join('')
}

interface Stretch {
  readonly block: string
  readonly index: number | undefined
  id: string | undefined
  signature: string | undefined
}

/** Assembles the reasoning of one choice from plain text, details, or both with the same text. */
export function createReasoningDecoder(
  choice: number,
  sink: EventSink,
  beforeReasoning: () => void,
) {
  let open: Stretch | undefined
  let isPlain = false

  function close(): void {
    if (open === undefined) return
    const { block, signature, id } = open
    open = undefined
    sink.push({ type: 'reasoning-end', id: block, signature, itemId: id })
  }

  function start(detail: ReasoningDetail | undefined): Stretch {
    close()
    beforeReasoning()
    const block = sink.open('reasoning', choice)
    open = { block, index: detail?.index, id: detail?.id, signature: undefined }
    return open
  }

  function add(text: string): void {
    const { block } = open ?? start(undefined)
    sink.push({ type: 'reasoning-delta', id: block, text })
  }

  function pushDetail(detail: ReasoningDetail): void {
    const text = isPlain ? '' : detail.text
    if (text === '' && detail.signature === undefined) return
    const stretch = open !== undefined && continues(open, detail) ? open : start(detail)
    stretch.id ??= detail.id
    if (text !== '') add(text)
    stretch.signature = detail.signature
  }

  return {
    push(delta: JsonObject): void {
      const details = readDetails(delta)
      const plain = plainReasoning(delta)
      if (plain !== undefined && (isPlain || details.every(({ text }) => text === ''))) {
        isPlain = true
        add(plain)
      }
      for (const detail of details) pushDetail(detail)
    },
    add(text: string): void {
      if (text !== '') add(text)
    },
    close,
  }
}
