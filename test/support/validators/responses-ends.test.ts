import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { changed, toSse } from './mutations.ts'
import { validateResponses } from './responses.ts'
import { call, event, good, head, message, numbered, whole } from './responses-sample.ts'
import { validateResponsesBody } from './responses-shape.ts'

const violationsOf = (events: readonly JsonObject[], ending: 'complete' | 'error') =>
  validateResponses(toSse(numbered(events), 'named'), { ending })

describe('S3, S5: a responses stream that breaks off', () => {
  const error = { code: 'server_error', message: 'Overloaded' }
  const told = { type: 'error', error: { ...error, type: 'server_error', param: null } }
  const failed = { type: 'response.failed', response: { ...head, status: 'failed', error } }
  const failedBy = (members: JsonObject) => [...begun, changed(failed, { response: members })]
  const begun = good.slice(0, 12)

  test('may do so anywhere after its start', () => {
    for (let at = 1; at < good.length; at++) {
      expect(violationsOf([...good.slice(0, at), failed], 'error')).toEqual([])
      expect(violationsOf([...good.slice(0, at), told, failed], 'error')).toEqual([])
    }
  })

  test('may leave out of its end what the SDK knows', () => {
    const response = { id: head.id, object: 'response', status: 'failed', error }
    expect(violationsOf([...begun, { type: 'response.failed', response }], 'error')).toEqual([])
  })

  test.each([
    ['it has not begun', [failed], 'response.created comes first'],
    ['the order is wrong before it', [...good.toSpliced(9, 1), failed], 'no part output_text'],
    ['it ends well', good, 'no error'],
    ['it just stops', begun, 'no terminal event'],
    ['it has ended before', [...good, failed], 'after the terminal event'],
    ['something follows', [...begun, failed, event(12)], 'after the terminal event'],
    ['the error event is its end', [...begun, told], 'no terminal event'],
    ['something follows the error event', [...begun, told, event(12), failed], 'after the error'],
    ['the error event comes twice', [...begun, told, told, failed], 'an error event'],
    ['it is incomplete', [...begun, { ...failed, type: 'response.incomplete' }], 'no error'],
    ['there is no error', failedBy({ error: null }), 'error is no object'],
    ['there is no code', failedBy({ error: { code: null } }), 'error.code is empty'],
    ['there is no message', failedBy({ error: { message: '' } }), 'error.message is empty'],
    ['it is another response', failedBy({ id: 'x' }), "id is not response.created's"],
    ['it is no response', failedBy({ object: 'x' }), 'object is x'],
    ['its status is another', failedBy({ status: 'completed' }), 'status is completed, not failed'],
    ['its output is none', failedBy({ output: {} }), 'output is no array'],
  ])('is reported when %s', (_, events, words) => {
    expect(violationsOf(events, 'error').join('\n')).toContain(words)
  })

  test('is reported where it was to be complete', () => {
    expect(violationsOf([...begun, failed], 'complete').join()).toContain('the stream has failed')
    const goesOn = [...begun, told, ...good.slice(12)]
    expect(violationsOf(goesOn, 'complete').join()).toContain('an error event')
  })
})

describe('an unstreamed response', () => {
  test('is valid as the vendor documents it', () => {
    expect(validateResponsesBody(whole)).toEqual([])
  })

  const withItem = (item: JsonObject) => ({ ...whole, output: [item] })
  test.each([
    ['no object', 'completed', 'it is no object'],
    ['a status that is no end', head, 'status is in_progress, not completed'],
    ['no usage', { ...whole, usage: null }, 'usage is no object'],
    ['an item twice', { ...whole, output: [call, call] }, 'two items have one id'],
    ['an item without id', withItem(changed(call, { id: undefined })), 'an item without id'],
    ['an item without type', withItem(changed(call, { type: undefined })), 'an item without type'],
    ['T5: arguments as an object', withItem({ ...call, arguments: {} }), 'without its text'],
    ['T3: torn arguments', withItem({ ...call, arguments: '{"city":' }), 'arguments are no object'],
    ['a message of the user', withItem({ ...message, role: 'user' }), 'a message with role user'],
    ['content as text', withItem({ ...message, content: 'Hi' }), 'content is no array of objects'],
    ['an error', { ...whole, error: {} }, 'error is not null'],
    ['a reason for nothing', { ...whole, incomplete_details: {} }, 'incomplete_details undefined'],
  ])('is reported with %s', (_, wrong, words) => {
    expect(validateResponsesBody(wrong).join('\n')).toContain(words)
  })
})
