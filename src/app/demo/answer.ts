import type { AnswerEvent, Finish } from '../../protocols/canonical/answer.ts'
import { embedJson } from '../../protocols/canonical/json-text.ts'
import type { CanonicalRequest, ImagePart, Part, Tool } from '../../protocols/canonical/request.ts'
import { emptyUsage, type Usage } from '../../protocols/canonical/usage.ts'
import type { JsonObject, ProtocolName } from '../../protocols/protocol.ts'
import { arithmetic, cut, type PromptCache, placesIn, portions, sample } from './sample.ts'

/** An error that the demo answers in the protocol of the request. */
export class DemoError extends Error {
  readonly status: number
  readonly code: string | undefined

  constructor(status: number, message: string, code?: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Throws the error that a text asks for: the first group of `pattern` is the status. */
export function failOn(pattern: RegExp, asked: string) {
  const status = pattern.exec(asked)?.[1]
  if (status !== undefined) throw new DemoError(Number(status), `Failing with ${status}, as asked.`)
}

interface Answer {
  readonly tokens: readonly string[]
  readonly calls: readonly { readonly name: string; readonly input: string }[]
  readonly finish: Finish
}

/** The unique part of an id. */
export const freshId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 24)

const pictureTokens = 258

const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => ('text' in part ? part.text : '')).join('')

function read(part: Part): string {
  if (part.type === 'tool-call') return part.input
  if (part.type === 'tool-result') return textOf(part.parts)
  return 'text' in part ? part.text : ''
}

const schemaOf = ({ format }: CanonicalRequest): JsonObject | undefined =>
  format && (format.type === 'schema' ? format.schema : {})

function promptOf(ask: CanonicalRequest): string {
  const schema = schemaOf(ask)
  return [
    ...ask.tools.map(({ name, description, parameters }) =>
      JSON.stringify({ name, description, parameters }),
    ),
    ...(schema === undefined ? [] : [JSON.stringify(schema)]),
    ...ask.turns.map(({ role, parts }) => `${role}: ${parts.map(read).join('')}`),
  ].join('\n')
}

const picturesIn = (parts: readonly Part[]): ImagePart[] =>
  parts.flatMap((part) =>
    part.type === 'image' ? [part] : part.type === 'tool-result' ? picturesIn(part.parts) : [],
  )

/** Input tokens of a request, as its usage reports them. */
export const countInput = (ask: CanonicalRequest): number =>
  cut(promptOf(ask)).length +
  picturesIn(ask.turns.flatMap(({ parts }) => parts)).length * pictureTokens

const haiku = 'One gate, many paths:\nevery word is weighed and paid,\nthe river runs on.'

const numerals = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

function numeral(word: string): number | undefined {
  if (/^\d{1,15}$/.test(word)) return Number(word)
  const at = numerals.indexOf(word.toLowerCase())
  return at < 0 ? undefined : at
}

function counting(question: string): string | undefined {
  const found = /\bcount\b(?:.*?\bfrom (\w+))?.*?\bto (\w+)/i.exec(question)
  const from = numeral(found?.[1] ?? '1')
  const to = numeral(found?.[2] ?? '')
  if (from === undefined || to === undefined) return undefined
  const length = Math.min(Math.max(to - from + 1, 0), 10_000)
  return Array.from({ length }, (_, at) => from + at).join(', ')
}

function calculation(question: string): string | undefined {
  const found = arithmetic(question)
  if (found === undefined) return undefined
  return found.result === undefined
    ? `${found.written} has no result: nothing can be divided by zero.`
    : `${found.written} = ${found.result}`
}

function sight(pictures: readonly ImagePart[]): string | undefined {
  if (pictures.length === 0) return undefined
  const seen = pictures.map(({ source }) =>
    source.type === 'url'
      ? 'image by address'
      : `${source.mediaType}, ${Buffer.byteLength(source.data, 'base64')} bytes`,
  )
  return `I received ${pictures.length === 1 ? 'an image' : 'images'}: ${seen.join('; ')}.`
}

/** The text for a question; it never pretends to be a model's. */
function reply(question: string, pictures: readonly ImagePart[]): string {
  const said = /^(?:please\s+)?(?:say|repeat|reply with)[:\s]+["“']?(.+?)["”']?$/is.exec(question)
  const dated = /\b(?:date|what day|today|what time)\b/i.test(question)
  return (
    sight(pictures) ??
    said?.[1] ??
    counting(question) ??
    calculation(question) ??
    (/\bhaiku\b/i.test(question) ? haiku : undefined) ??
    (dated
      ? `It is ${new Date().toISOString().replace('T', ', ').slice(0, 17)} UTC.`
      : undefined) ??
    `This is Tollgate's demo upstream, not a language model. You wrote: “${question.slice(0, 160)}”`
  )
}

function chooseTool({ tools, toolChoice }: CanonicalRequest, question: string): Tool | undefined {
  const choice = toolChoice ?? { type: 'auto' }
  if (choice.type === 'none') return undefined
  if (choice.type === 'tool') {
    const named = tools.find((tool) => tool.name === choice.name)
    if (named === undefined) throw new DemoError(400, `tool_choice: no tool "${choice.name}".`)
    return named
  }
  const isAllowed = ({ kind, name }: Tool) =>
    kind === 'function' && (choice.type !== 'allowed' || choice.names.includes(name))
  const offered = tools.filter(isAllowed)
  const topics = ['weather', 'temperature', 'forecast', 'time', 'clock']
  const asked = topics.filter((topic) => new RegExp(`\\b${topic}`, 'i').test(question))
  const fits = (tool: Tool) =>
    asked.some((topic) => `${tool.name} ${tool.description}`.toLowerCase().includes(topic))
  const mustCall = choice.type === 'allowed' ? choice.isRequired : choice.type === 'required'
  return offered.find(fits) ?? (mustCall || asked.length > 0 ? offered[0] : undefined)
}

function callsOf({ name, parameters = {} }: Tool, question: string): Answer['calls'] {
  const places = placesIn(question)
  const about = places.length > 1 ? places.map((place) => `in ${place}`) : [question]
  const inputs = about.map((part) => JSON.stringify(sample(parameters, part)))
  const isDistinct = new Set(inputs).size === inputs.length
  return (isDistinct ? inputs : inputs.slice(0, 1)).map((input) => ({ name, input }))
}

/** Ends a text at the first stop sequence, then at the token limit. */
function finishText(full: string, { stop = [], maxOutputTokens }: CanonicalRequest): Answer {
  const hits = stop.filter((one) => one !== '' && full.includes(one))
  const stopSequence = hits.sort((left, right) => full.indexOf(left) - full.indexOf(right))[0]
  const tokens = cut(stopSequence === undefined ? full : full.slice(0, full.indexOf(stopSequence)))
  if (tokens.length > (maxOutputTokens ?? Infinity))
    return { tokens: tokens.slice(0, maxOutputTokens), calls: [], finish: { reason: 'length' } }
  return { tokens, calls: [], finish: { reason: 'stop', stopSequence } }
}

/** Gemini's tool results are always objects. */
const resultFor = (protocol: ProtocolName, text: string): string =>
  protocol === 'gemini' && embedJson(text) === undefined ? JSON.stringify({ output: text }) : text

function answerTo(ask: CanonicalRequest, protocol: ProtocolName): Answer {
  const userTexts = ask.turns
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => textOf(parts).trim())
  const question = userTexts.findLast((text) => text !== '') ?? ''
  failOn(/please fail with ([45]\d\d)/i, question)
  const recent = ask.turns
    .slice(ask.turns.findLastIndex(({ role }) => role === 'assistant') + 1)
    .flatMap(({ parts }) => parts)
  const results = recent
    .filter((part) => part.type === 'tool-result')
    .map((part) => resultFor(protocol, read(part)))
  const tool = results.length === 0 ? chooseTool(ask, question) : undefined
  if (tool !== undefined) {
    const calls = callsOf(tool, question)
    if (sizeOf({ calls, tokens: [] }) <= (ask.maxOutputTokens ?? Infinity))
      return { tokens: [], calls, finish: { reason: 'tool-calls' } }
  }
  const plain =
    results.length > 0
      ? `The tool says: ${results.join('; ')}`
      : reply(question, picturesIn(recent))
  const schema = schemaOf(ask)
  if (schema === undefined) return finishText(plain, ask)
  const isShaped = schema.properties !== undefined || schema.type !== undefined
  return finishText(JSON.stringify(isShaped ? sample(schema, question) : { answer: plain }), ask)
}

const sizeOf = ({ calls, tokens }: Pick<Answer, 'calls' | 'tokens'>): number =>
  tokens.length + cut(calls.map(({ name, input }) => name + input).join('')).length

/** Messages caches only what is marked; the other protocols cache automatically and report no writes. */
function usageOf(
  ask: CanonicalRequest,
  answer: Answer,
  { protocol, cache, owner }: AnswerContext,
): Usage {
  const { cached, written } = cache.recall(`${owner}\0${ask.model}`, cut(promptOf(ask)))
  const marks = [...ask.tools, ...ask.turns.flatMap(({ parts }) => parts)].flatMap(
    ({ cache: mark }) => mark ?? [],
  )
  const isMarked = marks.length > 0
  const byMarks = protocol === 'messages'
  const cacheReadTokens = byMarks && !isMarked ? 0 : cached
  const writes = byMarks && isMarked ? written : 0
  const isLong = marks.includes('1h')
  return {
    ...emptyUsage,
    inputTokens: countInput(ask) - cacheReadTokens - writes,
    outputTokens: sizeOf(answer),
    cacheReadTokens,
    cacheWriteTokens: isLong ? 0 : writes,
    cacheWrite1hTokens: isLong ? writes : 0,
  }
}

interface AnswerContext {
  readonly protocol: ProtocolName
  readonly cache: PromptCache
  /** Keeps the prompt caches of different keys apart. */
  readonly owner: string
}

/** Prefixes of call ids, by vendor. */
const callPrefixes = { chat: 'call_', responses: 'call_', messages: 'toolu_', gemini: '' }

/** Answers a question, event by event. Throws the error that the question asks for. */
export function answer(ask: CanonicalRequest, context: AnswerContext): readonly AnswerEvent[] {
  const found = answerTo(ask, context.protocol)
  const usage = usageOf(ask, found, context)
  const choice = 0
  const text: AnswerEvent[] = [
    { type: 'text-start', choice, id: 'text' },
    ...portions(found.tokens).map(
      (part) => ({ type: 'text-delta', text: part, id: 'text' }) as const,
    ),
    { type: 'text-end', id: 'text' },
  ]
  const calls = found.calls.flatMap(({ name, input }, at): AnswerEvent[] => {
    const id = freshId()
    const callId = callPrefixes[context.protocol] + id
    const signature = Buffer.from(`demo ${id}`).toString('base64')
    return [
      // Gemini signs the first of its calls.
      ...(context.protocol === 'gemini' && at === 0
        ? ([
            { type: 'reasoning-start', choice, id: 'signature' },
            { type: 'reasoning-end', id: 'signature', signature, callId },
          ] as const)
        : []),
      { type: 'tool-call-start', choice, id, callId, name, kind: 'function' },
      ...portions([...input]).map((part) => ({ type: 'tool-call-delta', text: part, id }) as const),
      { type: 'tool-call-end', id },
    ]
  })
  return [
    { type: 'start', usage: { ...usage, outputTokens: 1 } },
    ...(calls.length > 0 ? calls : text),
    { type: 'finish', choice, ...found.finish },
    { type: 'end', usage },
  ]
}
