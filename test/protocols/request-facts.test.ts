import { describe, expect, test } from 'bun:test'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Operation } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'

// What of a request decides how much money is set aside for it.

const said = [{ role: 'user', content: 'hello' }]
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
const { completions, embeddings, imageGenerations, imageEdits } = chat.operations
const { generate, embed, batchEmbed } = gemini.operations

/** Operation, fields of its body, how many answers, and the limit of each. */
const limits: readonly (readonly [string, Operation, object, number, number | null])[] = [
  ['chat without a limit', completions, {}, 1, null],
  ['chat', completions, { max_completion_tokens: 70 }, 1, 70],
  ['chat, by the old name', completions, { max_tokens: 80 }, 1, 80],
  [
    'chat, both: the larger counts',
    completions,
    { max_completion_tokens: 70, max_tokens: 80 },
    1,
    80,
  ],
  ['chat, the new name null', completions, { max_completion_tokens: null, max_tokens: 80 }, 1, 80],
  ['chat, several answers', completions, { n: 5, max_completion_tokens: 70 }, 5, 70],
  ['chat, null answers', completions, { n: null }, 1, null],
  ['embeddings generate nothing', embeddings, { input: 'hello' }, 1, 0],
  ['images', imageGenerations, { prompt: 'a house' }, 1, null],
  ['several images', imageEdits, { prompt: 'a house', n: 3 }, 3, null],
  ['responses without a limit', responses.operations.responses, {}, 1, null],
  ['responses', responses.operations.responses, { max_output_tokens: 90 }, 1, 90],
  ['responses, null', responses.operations.responses, { max_output_tokens: null }, 1, null],
  ['messages', messages.operations.messages, { max_tokens: 60 }, 1, 60],
  ['gemini without a limit', generate, { contents }, 1, null],
  ['gemini', generate, { contents, generationConfig: { maxOutputTokens: 50 } }, 1, 50],
  ['gemini, snake', generate, { contents, generation_config: { max_output_tokens: 50 } }, 1, 50],
  [
    'gemini, several answers',
    generate,
    { contents, generationConfig: { candidateCount: 4 } },
    4,
    null,
  ],
  [
    'gemini, several, snake',
    generate,
    { contents, generationConfig: { candidate_count: 4 } },
    4,
    null,
  ],
  [
    'gemini, 0 answers is not set',
    generate,
    { contents, generationConfig: { candidateCount: 0 } },
    1,
    null,
  ],
  ['gemini embeds nothing but input', embed, { content: contents[0] }, 1, 0],
  ['gemini, many of them', batchEmbed, { requests: [{ content: contents[0] }] }, 1, 0],
]

describe('a limit that is written twice', () => {
  test.each([
    [
      'chat, the larger by the old name',
      completions,
      { max_completion_tokens: 70, max_tokens: 80 },
      { max_completion_tokens: null },
    ],
    [
      'chat, the larger by the new name',
      completions,
      { max_completion_tokens: 90, max_tokens: 80 },
      { max_tokens: null },
    ],
    ['chat, the same', completions, { max_completion_tokens: 70, max_tokens: 70 }, {}],
    ['chat, one of them null', completions, { max_completion_tokens: 70, max_tokens: null }, {}],
    ['gemini, once', generate, { contents, generation_config: { max_output_tokens: 7 } }, {}],
    [
      'gemini, in two spellings',
      generate,
      { contents, generationConfig: { maxOutputTokens: 7, max_output_tokens: 9, topK: 1 } },
      { generationConfig: { topK: 1, maxOutputTokens: 9 } },
    ],
    [
      'gemini, in two configurations',
      generate,
      {
        contents,
        generationConfig: { candidateCount: 1, topK: 1 },
        generation_config: { candidate_count: 3, top_p: 0.5 },
      },
      { generationConfig: { topK: 1, top_p: 0.5, candidateCount: 3 }, generation_config: null },
    ],
  ])('goes upstream once: %s', (_, operation, more, amend) => {
    const body = { model: 'm', messages: said, ...more }
    expect(operation.read(body).amend).toEqual(amend)
  })

  test.each([
    ['a name of other upstreams', { max_tokens: 10, max_new_tokens: 500 }, 500],
    ['a least length', { max_tokens: 10, min_tokens: 400 }, 400],
    ['a limit of the input', { max_tokens: 10, max_prompt_tokens: 500 }, 10],
    ['a budget that some count beside it', { max_tokens: 10, thinking_budget: 300 }, 310],
  ])('may be written by %s', (_, more, maxOutputTokens) => {
    const body = { model: 'm', messages: said, ...more }
    expect(completions.read(body)).toMatchObject({ maxOutputTokens, amend: {} })
  })
})

describe('how many answers, and how long', () => {
  test.each(limits)('%s', (_, operation, more, answers, maxOutputTokens) => {
    const body = { model: 'm', messages: said, input: 'hello', ...more }
    expect(operation.read(body)).toMatchObject({ answers, maxOutputTokens })
  })

  test('a limit beyond all integers is none', () => {
    const body = { model: 'm', messages: said, max_tokens: 1e20 }
    expect(messages.operations.messages.read(body).maxOutputTokens).toBeNull()
  })
})

const image = 'A'.repeat(100_000)
const source = { type: 'base64', media_type: 'image/png', data: image }
const imageUrl = `data:image/png;base64,${image}`
const none = { tokens: 0, bytes: 0 }

/** Operation, its body with an image of 100,000 bytes, and how many of them are no text. */
const withImage: readonly (readonly [string, Operation, object, number])[] = [
  [
    'chat',
    completions,
    {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: imageUrl } }] }],
    },
    imageUrl.length,
  ],
  [
    'responses',
    responses.operations.responses,
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: imageUrl }] }] },
    imageUrl.length,
  ],
  [
    'messages',
    messages.operations.messages,
    { max_tokens: 5, messages: [{ role: 'user', content: [{ type: 'image', source }] }] },
    image.length,
  ],
  [
    'gemini',
    generate,
    { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: image } }] }] },
    image.length,
  ],
]

describe('what of a request is no text', () => {
  test.each(withImage)('%s', (_, operation, body, bytes) => {
    const facts = operation.read({ model: 'm', ...body })
    expect(facts.media()).toMatchObject({ tokens: 1_000, bytes })
    expect(facts.text().length).toBeLessThan(20)
  })

  test('a plain request has nothing of it', () => {
    for (const [, operation, more] of limits) {
      const others = operation.name.startsWith('images') ? {} : { messages: said, input: 'hello' }
      expect(operation.read({ model: 'm', ...others, ...more }).media()).toMatchObject(none)
    }
  })

  test('an image that an earlier answer made is no text either', () => {
    const input = [{ type: 'image_generation_call', id: 'ig_1', result: image }]
    const facts = responses.operations.responses.read({ model: 'm', input })
    expect(facts.text()).toBe('')
    expect(facts.media()).toMatchObject({ tokens: 1_000, bytes: image.length })
  })
})

describe('what a body may name beside what is written in it', () => {
  const { responses: create } = responses.operations
  const { messages: message } = messages.operations

  test.each([
    ['chat, documents', completions, { documents: [{ url: 'https://a.example/b' }] }, true],
    ['chat, an index', completions, { data_sources: [{ type: 'search', name: 'a' }] }, true],
    ['chat, a word of tomorrow', completions, { memory: 'mem_1' }, true],
    ['chat, a schema', completions, { response_format: { type: 'json_schema' } }, false],
    ['chat, a switch and a number', completions, { min_p: 0.1, enable_thinking: true }, false],
    ['chat, a field left out', completions, { documents: null }, false],
    ['responses, a stored prompt', create, { prompt: { id: 'pmpt_1' } }, true],
    ['responses, settings', create, { text: { format: {} }, include: [], store: true }, false],
    ['messages, a container', message, { container: 'c' }, true],
    ['messages, settings', message, { thinking: { type: 'disabled' }, metadata: {} }, false],
    ['gemini, a cache', generate, { contents, cached_content: 'cachedContents/1' }, true],
    ['gemini, settings', generate, { contents, safetySettings: [], generationConfig: {} }, false],
    ['embeddings of pictures', embeddings, { images: ['https://a.example/b'] }, true],
    ['embeddings', embeddings, { encoding_format: 'float', dimensions: 9 }, false],
  ])('%s', (_, operation, more, isUnseen) => {
    const own = { chat: { messages: said }, responses: { input: 'hello' }, gemini: {} }
    const { protocol } = operation
    const content = protocol === 'messages' ? { messages: said } : own[protocol]
    const input = operation === embeddings ? { input: 'hello' } : content
    expect(operation.read({ model: 'm', ...input, ...more }).hasUnseenInput).toBe(isUnseen)
  })
})

test('a system instruction counts by both of its names', () => {
  const system = { parts: [{ text: 'one' }] }
  const other = { parts: [{ text: 'two' }, { fileData: { fileUri: 'u' } }] }
  const body = { contents, systemInstruction: system, system_instruction: other }
  const facts = generate.read(body)
  expect([facts.text(), facts.media().isUnseen]).toEqual(['one\ntwo\nhello', true])
})

describe('how many images an answer may have', () => {
  test.each([
    ['one', {}, 1],
    ['as many as are asked for', { n: 3, partial_images: 9 }, 3],
    ['a batch', { batch_size: 4 }, 4],
    ['a number by another name', { num_images: 5, n: 2 }, 5],
    ['a set', { sequential_image_generation: 'auto' }, 15],
    [
      'a set that is limited',
      {
        sequential_image_generation: 'auto',
        sequential_image_generation_options: { max_images: 6 },
      },
      6,
    ],
    ['no set', { sequential_image_generation: 'disabled', max_images: 1 }, 1],
    ['a number in a form', { batch_size: '4' }, 4],
  ])('%s', (_, more, most) => {
    const facts = imageEdits.read({ model: 'm', prompt: 'x', ...more })
    expect(facts).toMatchObject({ mostCalls: most, answers: most })
  })
})

describe('pictures to be edited', () => {
  const picture = (more: object) => imageEdits.read({ model: 'm', prompt: 'x', ...more }).media()

  test.each([
    ['a list of them', { images: [{ image_url: 'https://a.example/b' }, { file_id: 'f' }] }, 2],
    ['one as a text', { image: imageUrl }, 1],
    ['one and its mask', { image: imageUrl, mask: { image_url: imageUrl } }, 2],
    ['by a name of another vendor', { reference_images: ['https://a.example/b', 'c'] }, 2],
    ['settings', { size: '1024x1024', n: 4, watermark: true, quality: 'high' }, 0],
  ])('%s', (_, more, count) => {
    expect(picture(more)).toMatchObject({ images: { count }, isUnseen: false })
  })

  test('take the bytes of their data, and what is no picture is unseen', () => {
    expect(picture({ image: imageUrl }).bytes).toBe(imageUrl.length)
    expect(picture({ images: [{ pdf: 'https://a.example/b' }] }).isUnseen).toBeTrue()
  })
})

describe('whether the vendor runs tools of its own', () => {
  const tool = (more: object) => ({ model: 'm', messages: said, input: 'hello', contents, ...more })

  test.each([
    ['chat with functions', completions, { tools: [{ type: 'function', function: {} }] }, false],
    ['chat that searches', completions, { web_search_options: {} }, true],
    [
      'responses with functions',
      responses.operations.responses,
      { tools: [{ type: 'function' }] },
      false,
    ],
    [
      'responses with own tools',
      responses.operations.responses,
      { tools: [{ type: 'custom' }] },
      false,
    ],
    [
      'responses that search',
      responses.operations.responses,
      { tools: [{ type: 'web_search' }] },
      true,
    ],
    ['responses by a stored prompt', responses.operations.responses, { prompt: { id: 'p' } }, true],
    ['messages with tools', messages.operations.messages, { tools: [{ name: 'a' }] }, false],
    [
      'messages with custom tools',
      messages.operations.messages,
      { tools: [{ type: 'custom' }] },
      false,
    ],
    [
      'messages with tools of the vendor that the client runs',
      messages.operations.messages,
      { tools: [{ type: 'bash_20250124' }, { type: 'text_editor_20250728' }] },
      false,
    ],
    [
      'messages that search',
      messages.operations.messages,
      { tools: [{ type: 'web_search_20250305' }] },
      true,
    ],
    ['messages with servers', messages.operations.messages, { mcp_servers: [{ name: 'a' }] }, true],
    ['messages that compact', messages.operations.messages, { context_management: {} }, true],
    ['gemini with functions', generate, { tools: [{ functionDeclarations: [] }] }, false],
    ['gemini with functions, snake', generate, { tools: { function_declarations: [] } }, false],
    ['gemini that searches', generate, { tools: [{ googleSearch: {} }] }, true],
    ['gemini without tools', generate, {}, false],
  ] as const)('%s: %#', (_, operation: Operation, more, expected) => {
    expect(operation.read(tool(more)).takesTurns).toBe(expected)
  })
})
