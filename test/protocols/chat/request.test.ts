import { describe, expect, test } from 'bun:test'
import { chat } from '../../../src/protocols/chat/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'

const { completions, embeddings, imageGenerations, imageEdits } = chat.operations
const user = { role: 'user', content: 'Hi' }
const good = { model: 'm', messages: [user] }

describe('checking a chat completion request', () => {
  test.each<[string, object]>([
    ['the smallest', {}],
    ['fields nobody knows', { reasoning: { a: 1 }, search_parameters: 7 }],
    [
      'null where there is a default',
      { stream: null, n: null, max_tokens: null, tools: null, stream_options: null },
    ],
    [
      'an assistant that calls tools, without content',
      { messages: [user, { role: 'assistant', tool_calls: [] }] },
    ],
    [
      'T21: null content of an assistant',
      { messages: [user, { role: 'assistant', content: null }] },
    ],
    ['T21: empty content', { messages: [{ role: 'user', content: '' }] }],
    ['T21: developer and names', { messages: [{ role: 'developer', name: 'x', content: 'y' }] }],
    [
      'parts of kinds nobody knows',
      { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] },
    ],
    ['stream options of a stream', { stream: true, stream_options: { include_usage: false } }],
    ['the largest n', { n: 128 }],
  ])('takes %s', (_name, more) => {
    expect(completions.check({ ...good, ...more })).toBeUndefined()
  })

  test.each<[unknown, string, string, string]>([
    [[], 'invalid_value', '', 'The body must be a JSON object, not an empty array.'],
    [[1], 'invalid_value', '', 'The body must be a JSON object, not an array.'],
    [null, 'invalid_value', '', 'The body must be a JSON object, not null.'],
    ['x', 'invalid_value', '', 'The body must be a JSON object, not the string "x".'],
    [
      { messages: [user] },
      'missing_parameter',
      'model',
      'model is required and must be a non-empty string.',
    ],
    [
      { ...good, model: '' },
      'invalid_value',
      'model',
      'model must be a non-empty string, not an empty string.',
    ],
    [{ ...good, model: 7 }, 'invalid_value', 'model', 'model must be a non-empty string, not 7.'],
    [
      { ...good, model: null },
      'invalid_value',
      'model',
      'model must be a non-empty string, not null.',
    ],
    [
      { model: 'm' },
      'missing_parameter',
      'messages',
      'messages is required and must be a non-empty array of messages.',
    ],
    [
      { model: 'm', messages: [] },
      'invalid_value',
      'messages',
      'messages must be a non-empty array of messages, not an empty array.',
    ],
    [
      { model: 'm', messages: 'Hi' },
      'invalid_value',
      'messages',
      'messages must be a non-empty array of messages, not the string "Hi".',
    ],
    [
      { model: 'm', messages: [user, 'Hi'] },
      'invalid_value',
      'messages[1]',
      'messages[1] must be an object, not the string "Hi".',
    ],
    [
      { model: 'm', messages: [{ content: 'x' }] },
      'missing_parameter',
      'messages[0].role',
      'messages[0].role is required and must be a non-empty string.',
    ],
    [
      { model: 'm', messages: [{ role: 'user' }] },
      'missing_parameter',
      'messages[0].content',
      'messages[0].content is required and must be a string or an array of content parts.',
    ],
    [
      { model: 'm', messages: [{ role: 'user', content: null }] },
      'invalid_value',
      'messages[0].content',
      'messages[0].content must be a string or an array of content parts, not null.',
    ],
    [
      { model: 'm', messages: [user, { role: 'user', content: 5 }] },
      'invalid_value',
      'messages[1].content',
      'messages[1].content must be a string or an array of content parts, not 5.',
    ],
    [
      { model: 'm', messages: [{ role: 'user', content: [{ type: 'text' }, 5] }] },
      'invalid_value',
      'messages[0].content[1]',
      'messages[0].content[1] must be an object with a "type", not 5.',
    ],
    [
      { model: 'm', messages: [{ role: 'user', content: [{ text: 'x' }] }] },
      'missing_parameter',
      'messages[0].content[0].type',
      'messages[0].content[0].type is required and must be a non-empty string.',
    ],
    [
      { ...good, max_tokens: 0 },
      'invalid_value',
      'max_tokens',
      'max_tokens must be an integer of 1 or more, not 0.',
    ],
    [
      { ...good, max_completion_tokens: 1.5 },
      'invalid_value',
      'max_completion_tokens',
      'max_completion_tokens must be an integer of 1 or more, not 1.5.',
    ],
    [
      { ...good, max_tokens: '10' },
      'invalid_value',
      'max_tokens',
      'max_tokens must be an integer of 1 or more, not the string "10".',
    ],
    [{ ...good, n: 129 }, 'invalid_value', 'n', 'n must be an integer from 1 to 128, not 129.'],
    [
      { ...good, stream: 'yes' },
      'invalid_value',
      'stream',
      'stream must be true or false, not the string "yes".',
    ],
    [
      { ...good, temperature: [] },
      'invalid_value',
      'temperature',
      'temperature must be a number, not an empty array.',
    ],
    [{ ...good, tools: {} }, 'invalid_value', 'tools', 'tools must be an array, not an object.'],
    [
      { ...good, stream_options: { include_usage: true } },
      'conflicting_parameters',
      'stream_options',
      'stream_options is only allowed with stream: true. Set stream to true or leave it out.',
    ],
    [
      { ...good, stream: true, stream_options: 3 },
      'invalid_value',
      'stream_options',
      'stream_options must be an object, not 3.',
    ],
  ])('refuses %j', (body, code, param, message) => {
    expect(completions.check(body) as unknown).toEqual({ code, param, message })
  })

  test('a message never repeats a whole prompt', () => {
    const fault = completions.check({ model: 'm', messages: 'secret '.repeat(1000) })
    expect(fault?.message.length).toBeLessThan(150)
  })

  test('nesting to any depth is no crash', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    const body = {
      ...good,
      messages: [{ role: 'user', content: 'x', deep }],
      tools: deep,
    } as JsonObject
    expect(completions.check(body)).toBeUndefined()
    expect(completions.read(body).text()).toContain('x')
  })
})

describe('reading a chat completion request', () => {
  const amendOf = (more: object) => completions.read({ ...good, ...more }).amend

  test('asks a stream for its usage, and leaves the other options alone', () => {
    expect(amendOf({})).toEqual({})
    expect(amendOf({ stream: false })).toEqual({})
    expect(amendOf({ stream: true })).toEqual({ stream_options: { include_usage: true } })
    expect(amendOf({ stream: true, stream_options: null })).toEqual({
      stream_options: { include_usage: true },
    })
    expect(amendOf({ stream: true, stream_options: { include_usage: true } })).toEqual({})
    expect(
      amendOf({
        stream: true,
        stream_options: { include_usage: false, include_obfuscation: false },
      }),
    ).toEqual({ stream_options: { include_usage: true, include_obfuscation: false } })
  })

  test('gives the facts; each of `n` choices is a call', () => {
    expect(completions.read({ ...good, n: 3, stream: true })).toMatchObject({
      model: 'm',
      stream: true,
      calls: 3,
      continues: [],
    })
    expect(completions.rename({ ...good }, 'other')).toEqual({ model: 'other' })
  })

  test('its text holds prompts and tools, no media', () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAABBBB' } },
      { type: 'input_audio', input_audio: { data: 'CCCC', format: 'wav' } },
    ]
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const text = completions
      .read({ model: 'm', messages: [{ role: 'user', content }], tools })
      .text()
    expect(text).toBe(`What is this?\n${JSON.stringify(tools)}`)
  })
})

describe('embeddings and images', () => {
  test('embeddings need a model and an input', () => {
    expect(embeddings.check({ model: 'm', input: 'x' })).toBeUndefined()
    expect(
      embeddings.check({ model: 'm', input: [[1, 2], [3]], encoding_format: 'base64' }),
    ).toBeUndefined()
    expect(embeddings.check({ model: 'm' })).toMatchObject({
      code: 'missing_parameter',
      param: 'input',
    })
    expect(embeddings.check({ model: 'm', input: 5 })).toMatchObject({
      code: 'invalid_value',
      param: 'input',
    })
    expect(embeddings.read({ model: 'm', input: ['a', 'b'] }).text()).toBe('a\nb')
  })

  test('`n` images are n calls', () => {
    expect(imageGenerations.check({ model: 'm', prompt: 'x', n: 0 })).toMatchObject({ param: 'n' })
    expect(imageGenerations.check({ model: 'm' })).toMatchObject({ param: 'prompt' })
    expect(imageGenerations.read({ model: 'm', prompt: 'x' })).toMatchObject({
      calls: 1,
      stream: false,
    })
    expect(imageEdits.read({ model: 'm', prompt: 'x', n: 4, stream: true })).toMatchObject({
      calls: 4,
      stream: true,
      amend: {},
    })
    expect(['takesForm' in imageGenerations, imageEdits.takesForm]).toEqual([false, true])
  })
})
