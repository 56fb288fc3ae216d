import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { type Told, tellers } from '../app/bills/told-answers.ts'
import { watch } from './feeding.ts'

// Which part of an answer its usage reports cover: what they leave out is counted by the gateway.

const ways = {
  chat: { teller: tellers.chat, operation: chat.operations.completions },
  responses: { teller: tellers.responses, operation: responses.operations.responses },
  messages: { teller: tellers.messages, operation: messages.operations.messages },
  gemini: { teller: tellers.gemini, operation: gemini.operations.generate },
}
const told: Told = { input: 10, output: 3 }
const usages = {
  chat: ['usage', 'prompt_tokens', 'completion_tokens'],
  responses: ['usage', 'input_tokens', 'output_tokens'],
  messages: ['usage', 'input_tokens', 'output_tokens'],
  gemini: ['usageMetadata', 'promptTokenCount', 'candidatesTokenCount'],
} as const

describe.each(Object.keys(ways) as (keyof typeof ways)[])('%s', (name) => {
  const { teller, operation } = ways[name]
  const streamed = (...events: readonly string[]) => {
    const observer = operation.createObserver()
    watch(observer, events.join(''))
    return observer.seen
  }
  const body = (value: object) => {
    const observer = operation.createObserver()
    observer.pushBody(value)
    return observer.seen
  }

  test('a report at the end covers all of the text', () => {
    const seen = streamed(teller.start(), teller.piece('hello'), teller.stop('complete', told))
    expect(seen).toMatchObject({ reportedLength: 5, text: { length: 5 } })
  })

  test('a report in between covers the text until then', () => {
    const { start, piece } = teller
    const seen = streamed(start(told), piece('hello', told), piece(' there'))
    expect(seen.text.length).toBe(11)
    // Messages reports before the text begins, and then at its end.
    expect(seen.reportedLength).toBe(name === 'messages' ? 0 : 5)
    expect(seen.lacksInput).toBeFalse()
  })

  test('without a report nothing is said of what is covered', () => {
    const seen = streamed(teller.start(), teller.piece('hello'), teller.stop('complete'))
    expect(seen).toMatchObject({ lacksInput: false, reportedLength: Number.POSITIVE_INFINITY })
  })

  test('the report of a whole body covers its text', () => {
    const seen = body(teller.body('complete', 'hello', told))
    expect(seen).toMatchObject({ lacksInput: false, reportedLength: 5, text: { length: 5 } })
  })

  test('one count of two is half a report; an explicit 0 is one', () => {
    const [field, input, output] = usages[name]
    const answer = teller.body('complete', 'hello')
    const half = (count: string, value: unknown) => body({ ...answer, [field]: { [count]: value } })
    expect(half(input, 7)).toMatchObject({ lacksInput: false, reportedLength: 0 })
    expect(half(input, 0)).toMatchObject({ lacksInput: false, reportedLength: 0 })
    expect(half(output, 7)).toMatchObject({ lacksInput: true, reportedLength: 5 })
    expect(half(output, 0)).toMatchObject({ lacksInput: true, reportedLength: 5 })
  })

  test('what one report lacks a later one may tell', () => {
    const { start, piece, stop } = teller
    const only = (told: Told) => stop('complete', told)
    const seen = streamed(start(), piece('hello'), only(told))
    // Messages tells its input at the start or never.
    expect(seen.lacksInput).toBe(name === 'messages')
    expect(streamed(start(told), piece('hello'), only(told)).lacksInput).toBeFalse()
  })
})
