import { type Ask, type Json, object, type Picture, type Tool } from './ask.ts'
import { DemoError, failOn } from './errors.ts'
import { arithmetic, placesIn, sample } from './sample.ts'
import { cut, type PromptCache, type Recall } from './tokens.ts'

/** A call of one of the client's tools. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: Json
}

/** What the demo answers, before a protocol gives it its form. `input` counts cached tokens too. */
export interface Answer {
  readonly tokens: readonly string[]
  readonly calls: readonly ToolCall[]
  readonly reason: 'stop' | 'length' | 'tools' | 'sequence'
  readonly sequence: string | undefined
  readonly usage: Recall & { readonly input: number; readonly output: number }
}

/** The part of an id that tells things apart. */
export const freshId = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 24)

const pictureTokens = 258

/** Everything that a model would read, tools first, in one text. */
function promptOf(ask: Ask): string {
  const tools = ask.tools.map((tool) => JSON.stringify(tool))
  const schema = ask.schema === undefined ? [] : [JSON.stringify(ask.schema)]
  return [...tools, ...schema, ...ask.turns.map((turn) => `${turn.role}: ${turn.text}`)].join('\n')
}

const pictureCount = (ask: Ask): number =>
  ask.turns.reduce((total, turn) => total + turn.pictures.length, 0)

/** Input tokens of a request: the same figure that its answer's usage reports. */
export const countInput = (ask: Ask): number =>
  cut(promptOf(ask)).length + pictureCount(ask) * pictureTokens

const haiku = 'One gate, many paths:\nevery word is weighed and paid,\nthe river runs on.'

const numerals = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** The number that digits, or a word up to twelve, stand for. */
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

function sight(pictures: readonly Picture[]): string | undefined {
  if (pictures.length === 0) return undefined
  const seen = pictures.map(({ mediaType, sizeBytes }) =>
    sizeBytes === undefined ? mediaType : `${mediaType}, ${sizeBytes} bytes`,
  )
  return `I received ${pictures.length === 1 ? 'an image' : 'images'}: ${seen.join('; ')}.`
}

/** The text for a question. It never pretends to be a model's. */
function reply(question: string, pictures: readonly Picture[]): string {
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

/** The tool that must or should be called for a question. */
function chooseTool(ask: Ask, question: string): Tool | undefined {
  const { choice, tools } = ask
  if (choice === 'none') return undefined
  if (typeof choice === 'object') {
    const named = tools.find((tool) => tool.name === choice.name)
    if (named === undefined) throw new DemoError(400, `tool_choice: no tool "${choice.name}".`)
    return named
  }
  const topics = ['weather', 'temperature', 'forecast', 'time', 'clock']
  const asked = topics.filter((topic) => new RegExp(`\\b${topic}`, 'i').test(question))
  const fits = (tool: Tool) =>
    asked.some((topic) => `${tool.name} ${tool.description}`.toLowerCase().includes(topic))
  return tools.find(fits) ?? (choice === 'any' || asked.length > 0 ? tools[0] : undefined)
}

/** One call, or one for each place that the question names. */
function callsOf(tool: Tool, question: string): ToolCall[] {
  const places = placesIn(question)
  const about = places.length > 1 ? places.map((place) => `in ${place}`) : [question]
  const calls = about.map((part) => ({
    id: freshId(),
    name: tool.name,
    input: object(sample(tool.schema, part)),
  }))
  const first = JSON.stringify(calls[0]?.input)
  const distinct = calls.every((call, at) => at === 0 || JSON.stringify(call.input) !== first)
  return distinct ? calls : calls.slice(0, 1)
}

/** Ends a text at the first stop sequence, then at the limit of tokens. */
function finish(full: string, ask: Ask): Pick<Answer, 'tokens' | 'reason' | 'sequence'> {
  const hits = ask.stop.filter((one) => one !== '' && full.includes(one))
  const sequence = hits.sort((left, right) => full.indexOf(left) - full.indexOf(right))[0]
  const tokens = cut(sequence === undefined ? full : full.slice(0, full.indexOf(sequence)))
  if (tokens.length > (ask.maxTokens ?? Infinity))
    return { tokens: tokens.slice(0, ask.maxTokens), reason: 'length', sequence: undefined }
  return { tokens, reason: sequence === undefined ? 'stop' : 'sequence', sequence }
}

/** Answers a question. `owner` keeps the prompt caches of different keys apart. */
export function answer(ask: Ask, cache: PromptCache, owner: string): Answer {
  const spoken = ask.turns.filter((turn) => turn.role === 'user' && turn.text.trim() !== '')
  const question = spoken.at(-1)?.text.trim() ?? ''
  failOn(/please fail with ([45]\d\d)/i, question)
  const recent = ask.turns.slice(ask.turns.findLastIndex((turn) => turn.role === 'assistant') + 1)
  const results = recent.filter((turn) => turn.role === 'tool').map((turn) => turn.text)
  const tool = results.length === 0 ? chooseTool(ask, question) : undefined
  const recall = cache.recall(`${owner}\0${ask.model}`, cut(promptOf(ask)))
  const usage = { ...recall, input: countInput(ask) }

  if (tool !== undefined) {
    const calls = callsOf(tool, question)
    const output = cut(calls.map((call) => call.name + JSON.stringify(call.input)).join('')).length
    if (output <= (ask.maxTokens ?? Infinity))
      return {
        tokens: [],
        calls,
        reason: 'tools',
        sequence: undefined,
        usage: { ...usage, output },
      }
  }
  const pictures = recent.flatMap((turn) => turn.pictures)
  const plain =
    results.length > 0 ? `The tool says: ${results.join('; ')}` : reply(question, pictures)
  const shaped = ask.schema?.properties === undefined && ask.schema?.type === undefined
  const full =
    ask.schema === undefined
      ? plain
      : JSON.stringify(shaped ? { answer: plain } : sample(ask.schema, question))
  const end = finish(full, ask)
  return { ...end, calls: [], usage: { ...usage, output: end.tokens.length } }
}
