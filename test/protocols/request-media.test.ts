import { describe, expect, test } from 'bun:test'
import { requestMedia } from '../../src/protocols/request-content.ts'

/** Base64 of so many bytes, as it stands in a body. */
const base64 = (length: number) => 'A'.repeat(length)
const mega = 1_000_000
const data = base64(mega)
const inFront = (kind: string) => `data:${kind};base64,`
const url = (kind: string) => inFront(kind) + data
const urlBytes = (kind: string) => inFront(kind).length + mega
const source = (media_type: string) => ({ type: 'base64', media_type, data })

/** Part, its tokens, and the bytes that it takes of the body. */
const parts: readonly (readonly [string, object, number, number])[] = [
  // Images cost about the same, however large they are.
  [
    'chat image',
    { type: 'image_url', image_url: { url: url('image/png') } },
    1_000,
    urlBytes('image/png'),
  ],
  [
    'chat image by address',
    { type: 'image_url', image_url: { url: 'https://a.example/b' } },
    1_000,
    19,
  ],
  [
    'responses image',
    { type: 'input_image', image_url: url('image/webp') },
    1_000,
    urlBytes('image/webp'),
  ],
  ['responses image by id', { type: 'input_image', file_id: 'file-1' }, 1_000, 11],
  [
    'a screenshot',
    { type: 'computer_screenshot', image_url: url('image/png') },
    1_000,
    urlBytes('image/png'),
  ],
  [
    'an image made earlier',
    { type: 'image_generation_call', id: 'ig_1', result: data },
    1_000,
    mega,
  ],
  ['messages image', { type: 'image', source: source('image/jpeg') }, 1_000, mega],
  ['gemini image', { inlineData: { mimeType: 'image/png', data } }, 1_000, mega],
  ['gemini image, snake', { inline_data: { mime_type: 'image/png', data } }, 1_000, mega],
  [
    'an image as a file',
    { type: 'file', file: { file_data: url('image/png') } },
    1_000,
    urlBytes('image/png'),
  ],
  // Documents: a token for 50 bytes.
  ['messages document', { type: 'document', source: source('application/pdf') }, 20_000, mega],
  [
    'chat file',
    { type: 'file', file: { filename: 'a.pdf', file_data: url('application/pdf') } },
    20_001,
    urlBytes('application/pdf'),
  ],
  [
    'responses file',
    { type: 'input_file', filename: 'a.pdf', file_data: url('application/pdf') },
    20_001,
    urlBytes('application/pdf'),
  ],
  ['gemini document', { inlineData: { mimeType: 'application/pdf', data } }, 20_000, mega],
  ['a file of no stated kind', { type: 'input_file', file_data: data }, 20_000, mega],
  // Text in base64: a token for 4 bytes.
  ['gemini text', { inlineData: { mimeType: 'text/plain', data } }, 250_000, mega],
  [
    'responses table',
    { type: 'input_file', file_data: url('text/csv') },
    250_005,
    urlBytes('text/csv'),
  ],
  // Sound and film: a token for 400 bytes.
  ['chat sound', { type: 'input_audio', input_audio: { data, format: 'mp3' } }, 2_500, mega],
  ['gemini sound', { inlineData: { mimeType: 'audio/ogg', data } }, 2_500, mega],
  ['gemini film', { inlineData: { mimeType: 'video/mp4', data } }, 2_500, mega],
  // What is small, or lies elsewhere, counts as an image at the least.
  [
    'a short sound',
    { type: 'input_audio', input_audio: { data: base64(400), format: 'wav' } },
    1_000,
    400,
  ],
  [
    'gemini film by address',
    { fileData: { mimeType: 'video/mp4', fileUri: 'https://a.example/b' } },
    1_000,
    19,
  ],
]

describe('media of a request', () => {
  test.each(parts)('%s', (_, part, tokens, bytes) => {
    expect(requestMedia([[{ role: 'user', content: [part] }]])).toMatchObject({ tokens, bytes })
    expect(requestMedia([{ role: 'user', parts: [part] }])).toMatchObject({ tokens, bytes })
  })

  test('adds up, in all prompts, also in the results of tools', () => {
    const image = { type: 'image', source: source('image/png') }
    const nested = { type: 'tool_result', tool_use_id: 't', content: [image, image] }
    const prompts = [[{ role: 'user', content: [image, nested] }], image]
    expect(requestMedia(prompts)).toMatchObject({ tokens: 4_000, bytes: 4 * mega })
  })

  test.each([
    ['a text', 'a'.repeat(1_000)],
    ['text parts', [{ type: 'text', text: data }]],
    ['a document of plain text', { type: 'document', source: { type: 'text', data } }],
    [
      'a call and its result',
      [
        { type: 'function_call', arguments: data },
        { type: 'x', output: data },
      ],
    ],
    ['nothing', undefined],
    ['null', null],
    ['numbers', [1, 2, 3]],
  ])('%s has none', (_, prompt) => {
    expect(requestMedia([prompt])).toMatchObject({ tokens: 0, bytes: 0 })
  })

  test('of a document made of parts only the images count', () => {
    const content = [
      { type: 'text', text: data },
      { type: 'image', source: source('image/png') },
    ]
    const document = { type: 'document', source: { type: 'content', content } }
    expect(requestMedia([document])).toMatchObject({ tokens: 1_000, bytes: mega })
  })

  test('a part with a million members is one part', () => {
    const members = Array.from({ length: mega }, () => 0)
    const part = { type: 'image', source: { type: 'url', url: 'https://a.example/b' }, members }
    expect(requestMedia([part])).toMatchObject({ tokens: 1_000, bytes: 19 })
  })

  test('what is nested deeper than any vendor does is left alone', () => {
    let deep: unknown = { type: 'image', source: source('image/png') }
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(requestMedia([deep])).toMatchObject({ tokens: 0, bytes: 0 })
  })

  test.each([
    ['a file by id', { type: 'file', file: { file_id: 'f' } }],
    ['a file by address', { type: 'input_file', file_url: 'https://a.example/b' }],
    ['a file by both', { type: 'file', file: { file_id: 'f', file_data: url('text/plain') } }],
    ['a file that calls itself text', { type: 'file', file: { file_id: 'text/plain' } }],
    ['a document by address', { type: 'document', source: { type: 'url', url: 'https://a.b/c' } }],
    ['a compressed document', { type: 'document', source: source('application/pdf') }],
    ['a document that says it is an image', { inlineData: { mimeType: 'application/pdf', data } }],
    ['gemini’s file', { fileData: { fileUri: 'https://a.example/b', mimeType: 'image/png' } }],
    ['a film', { type: 'video_url', video_url: { url: 'https://a.example/b' } }],
    ['a book', { type: 'document_url', document_url: 'https://a.example/b.pdf' }],
    ['a file of another vendor', { type: 'file_url', file_url: { url: 'https://a.example/b' } }],
    ['a film of frames', { type: 'video', video: ['https://a.example/1', 'https://a.example/2'] }],
    ['a kind of tomorrow', { type: 'hologram', hologram: 'h-1' }],
    ['a kind that is no word', { type: 3, text: 'hi' }],
    ['a part without a kind', { image_url: { url: 'https://a.example/b' } }],
    ['a text with more than text', { type: 'text', text: 'hi', pdf: 'https://a.example/b' }],
    ['an image with more', { type: 'input_image', image_url: url('image/png'), film: 'f-1' }],
    ['an image of another kind', { type: 'image_url', image_url: { url: url('video/mp4') } }],
    [
      'an image that has a kind',
      { type: 'image_url', image_url: { url: 'u', format: 'video/mp4' } },
    ],
    ['another’s image', { type: 'image', source: { ...source('application/pdf'), data: 'AA' } }],
    ['sound by address', { type: 'input_audio', input_audio: { data: 'https://a.example/b' } }],
    ['a result of the vendor’s tool', { type: 'web_search_tool_result', content: [] }],
    ['a document with a text and more', { type: 'document', source: { type: 'text', url: 'u' } }],
    ['something for a container', { type: 'container_upload', file_id: 'f' }],
  ])('of %s nobody can see the size', (_, part) => {
    expect(requestMedia([[{ role: 'user', content: [part] }]]).isUnseen).toBeTrue()
  })

  test.each([
    ['an image by address', { type: 'image_url', image_url: { url: 'https://a.example/b' } }, 1],
    ['an image by id', { type: 'input_image', file_id: 'file-1' }, 1],
    ['an image', { inlineData: { mimeType: 'image/png', data } }, 1],
    ['a text in a file', { type: 'file', file: { file_data: url('text/plain') } }, 0],
    ['sound', { type: 'input_audio', input_audio: { data, format: 'wav' } }, 0],
    ['a text', { type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }, 0],
    ['a document of text', { type: 'document', source: { type: 'text', data: 'hi' } }, 0],
    ['a tool’s call', { type: 'tool_use', id: 't', name: 'f', input: { url: 'u', type: 'x' } }, 0],
    ['gemini’s call', { functionCall: { name: 'f', args: { fileData: { a: 1 } } } }, 0],
    [
      'a tool’s result',
      { type: 'tool_result', tool_use_id: 't', content: 'x', is_error: false },
      0,
    ],
    ['what a member leaves out', { type: 'text', text: 'hi', audio: null, file: null }, 0],
    [
      'a quotation',
      { type: 'output_text', text: 'a', annotations: [{ type: 'url_citation', url: 'u' }] },
      0,
    ],
  ])('%s is seen', (_, part, count) => {
    const { isUnseen, images } = requestMedia([[{ role: 'user', content: [part] }]])
    expect([isUnseen, images.count]).toEqual([false, count])
  })
})
