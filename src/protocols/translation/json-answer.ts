import type { AnswerEvent } from '../canonical/event.ts'
import type { EventFilter } from './event-filter.ts'
import { createJsonCutter, type JsonCutter } from './json-cutter.ts'

/** A block of text of which nothing has been passed on yet. */
interface Held {
  readonly id: string
  text: string
  isEnded: boolean
}

/** One of the answers side by side. */
interface Answer {
  readonly cutter: JsonCutter
  /** What has been passed on, as it must parse. */
  text: string
  /** Blocks that hold nothing but what stands before the JSON. */
  readonly held: Held[]
  /** It calls tools: nobody promises that its text is JSON. */
  isFree: boolean
}

type EventOf<T extends AnswerEvent['type']> = Extract<AnswerEvent, { readonly type: T }>

/**
 * Makes of an answer what a client may expect that has asked for JSON where the vendor can't promise it:
 * what stands around the JSON (words, a code fence) is left out, and an answer that comes to a regular end
 * without any is an error. One that ends otherwise, or calls tools, has its text as it is.
 */
export function createJsonFilter(takesArrays: boolean): EventFilter {
  const answers = new Map<number, Answer>()
  /** By id of a block of text: whose it is, and whether it was begun for the client. */
  const blocks = new Map<string, { readonly choice: number; isBegun: boolean }>()
  let begins: string | undefined

  function answerOf(choice: number): Answer {
    const known = answers.get(choice)
    if (known) return known
    const answer = { cutter: createJsonCutter(takesArrays), text: '', held: [], isFree: false }
    answers.set(choice, answer)
    return answer
  }

  function addText(event: EventOf<'text-delta'>): readonly AnswerEvent[] {
    const block = blocks.get(event.id)
    if (block === undefined) return [event]
    const answer = answerOf(block.choice)
    if (answer.isFree) return [...begin(event.id), event]
    const text = answer.cutter.push(event.text)
    if (answer.cutter.phase === 'before') hold(answer, event)
    if (text === '') return []
    answer.text += text
    answer.held.length = 0
    return [...begin(event.id), { ...event, text }]
  }

  function hold({ held }: Answer, { id, text }: EventOf<'text-delta'>): void {
    const last = held.at(-1)
    if (last?.id === id) last.text += text
    else held.push({ id, text, isEnded: false })
  }

  function begin(id: string): readonly AnswerEvent[] {
    const block = blocks.get(id)
    if (block === undefined || block.isBegun) return []
    block.isBegun = true
    return [{ type: 'text-start', id, choice: block.choice }]
  }

  function endText(event: EventOf<'text-end'>): readonly AnswerEvent[] {
    const block = blocks.get(event.id)
    if (block === undefined) return [event]
    const { isFree, held } = answerOf(block.choice)
    if (isFree) return [...begin(event.id), event]
    const waiting = held.find(({ id }) => id === event.id)
    if (waiting) waiting.isEnded = true
    // Places in a text of which a part is left out would be others.
    return block.isBegun ? [{ ...event, citations: undefined }] : []
  }

  /** Text that was kept back, of an answer that need not be JSON. */
  function release(choice: number): readonly AnswerEvent[] {
    const answer = answerOf(choice)
    answer.isFree = true
    return answer.held.splice(0).flatMap(({ id, text, isEnded }): readonly AnswerEvent[] => {
      const said: readonly AnswerEvent[] = [...begin(id), { type: 'text-delta', id, text }]
      return isEnded ? [...said, { type: 'text-end', id }] : said
    })
  }

  function finish(event: EventOf<'finish'>): readonly AnswerEvent[] {
    const { choice, reason } = event
    const answer = answerOf(choice)
    if (reason !== 'stop' || answer.isFree) return [...release(choice), event]
    if (answer.cutter.phase === 'after' && isJson(answer.text)) return [event]
    begins ??= answer.text || answer.held.map(({ text }) => text).join('')
    return []
  }

  return {
    push(event) {
      switch (event.type) {
        case 'text-start':
          blocks.set(event.id, { choice: event.choice, isBegun: false })
          return answerOf(event.choice).isFree ? begin(event.id) : []
        case 'text-delta':
          return addText(event)
        case 'text-end':
          return endText(event)
        case 'tool-call-start':
          return [...release(event.choice), event]
        case 'finish':
          return finish(event)
        case 'end':
          return begins === undefined ? [event] : [{ type: 'error', error: noJson(begins) }]
        default:
          return [event]
      }
    },
  }
}

/** So much of what came instead is told. */
const longestQuote = 80

function noJson(text: string) {
  const quote = text.trim().slice(0, longestQuote)
  const said = quote === '' ? 'It is empty.' : `It begins: ${JSON.stringify(quote)}.`
  const record = 'The answer of the model is not the JSON that was asked for.'
  const message = `${record} ${said} What came is charged. Ask again, ask for a schema, or ask another model.`
  return { status: 502, code: 'upstream_invalid', message, record }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // it only looked like it
  }
}
