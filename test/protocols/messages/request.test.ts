import { describe, expect, test } from 'bun:test'
import { messages } from '../../../src/protocols/messages/index.ts'

const { messages: create, countTokens } = messages.operations
const good = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }

describe('a message request', () => {
  test.each<object>([
    {},
    { system: 'Be short.' },
    { system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    { messages: [{ role: 'system', content: [{ type: 'text', text: 'x' }] }] },
    { thread: { type: 'continue', previous_message_id: 'msg_1' } },
    {
      context_management: {},
      output_config: {},
      metadata: { user_id: '{}' },
      thinking: { block_binding: 1 },
    },
    { tools: [{ name: 'look', input_schema: {} }] },
  ])('takes %j', (more) => {
    expect(create.check({ ...good, ...more })).toBeUndefined()
  })

  test.each<[object, string, string]>([
    [{ model: undefined }, 'missing_parameter', 'model'],
    [{ max_tokens: undefined }, 'missing_parameter', 'max_tokens'],
    [{ max_tokens: 0 }, 'invalid_value', 'max_tokens'],
    [{ max_tokens: null }, 'invalid_value', 'max_tokens'],
    [{ max_tokens: '10' }, 'invalid_value', 'max_tokens'],
    [{ messages: [] }, 'invalid_value', 'messages'],
    [{ messages: [{ role: 'user' }] }, 'missing_parameter', 'messages[0].content'],
    [{ messages: [{ role: 'user', content: null }] }, 'invalid_value', 'messages[0].content'],
    [{ messages: [{ role: 5, content: 'x' }] }, 'invalid_value', 'messages[0].role'],
    [
      { messages: [{ role: 'user', content: [{ type: 5 }] }] },
      'invalid_value',
      'messages[0].content[0].type',
    ],
    [{ system: 5 }, 'invalid_value', 'system'],
    [{ stream: 'true' }, 'invalid_value', 'stream'],
    [{ tools: 'x' }, 'invalid_value', 'tools'],
    [{ thread: 'x' }, 'invalid_value', 'thread'],
  ])('refuses %j', (more, code, param) => {
    const body = JSON.parse(JSON.stringify({ ...good, ...more }))
    expect(create.check(body) as object).toMatchObject({ code, param })
  })

  test('a count needs no max_tokens', () => {
    const { max_tokens: _, ...body } = good
    expect(countTokens.check(body)).toBeUndefined()
    expect(countTokens.charged).toBe(false)
  })

  test('a thread continues an earlier message', () => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' }
    expect(create.read({ ...good, thread }).continues).toEqual(['msg_1'])
    expect(create.read({ ...good, thread: { type: 'create' } }).continues).toEqual([])
  })

  test('its text has plain documents, not base64 ones', () => {
    const source = (type: string, data: string) => ({
      type: 'document',
      source: { type, media_type: 'x', data },
    })
    const content = [
      source('text', 'plain'),
      source('base64', 'AAAA'),
      { type: 'text', text: 'Hi' },
    ]
    const body = { ...good, system: 'S', messages: [{ role: 'user', content }] }
    expect(create.read(body).text()).toBe('S\nplain\nHi')
  })
})
