import { describe, expect, test } from 'bun:test'
import { FailureObserver } from '../../../src/gateway/upstream/other-form.ts'
import { createSseSplitter } from '../../../src/protocols/sse.ts'
import { allDialects, type Dialect } from '../../e2e/dialects.ts'
import { protocols, tokens } from '../relay-scene.ts'

// In which words an answer was said to have failed, and what they come to.

const filtered = { code: 'content_filter', message: 'The prompt was blocked.' }

/** An error about the request, as an event of a stream. */
const events: Readonly<Record<Dialect['name'], object>> = {
  chat: { error: filtered },
  responses: { type: 'response.failed', response: { status: 'failed', error: filtered } },
  messages: { type: 'error', error: { type: 'invalid_request_error', message: 'too long' } },
  gemini: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'too long' } },
}
/** The same as a whole answer. */
const bodies: Readonly<Record<Dialect['name'], object>> = {
  ...events,
  responses: { status: 'failed', error: filtered },
}

describe.each(allDialects)('$name', (dialect) => {
  const { protocol, operation } = protocols[dialect.name]
  const observe = () => new FailureObserver(operation.createObserver(), protocol.name)

  test('an answer that goes well has none', () => {
    const observer = observe()
    const { frames } = createSseSplitter().push(
      new TextEncoder().encode(dialect.first(tokens) + dialect.last(tokens)),
    )
    for (const { data, event } of frames) observer.push(data, event)
    expect(observer.seen.outcome).toBe('complete')
    expect([observer.errorValue(), observer.failure()]).toEqual([undefined, undefined])
  })

  test('an event is kept with its machine words: they tell the client’s fault from others', () => {
    const observer = observe()
    observer.push(JSON.stringify(events[dialect.name]), '')
    observer.push('{"usage":{}}', '')
    expect(observer.errorValue()).toEqual(events[dialect.name] as never)
    expect(observer.failure()).toBe('client_fault')
  })

  test('a whole answer likewise', () => {
    const observer = observe()
    observer.pushBody(bodies[dialect.name])
    expect(observer.failure()).toBe('client_fault')
  })

  test('what is no object is a failure of the upstream’s', () => {
    const observer = observe()
    observer.pushBody('no')
    expect([observer.errorValue(), observer.failure()]).toEqual([undefined, 'upstream_failed'])
  })
})
