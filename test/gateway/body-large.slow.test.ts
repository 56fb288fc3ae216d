import { describe, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { $ } from 'bun'
import {
  checkBody,
  largeBytes,
  parseJsonBody,
  type RequestBody,
} from '../../src/gateway/body/body.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import type { JsonObject, Operation, ProtocolName } from '../../src/protocols/protocol.ts'
import { protocolNames } from '../../src/protocols/protocol.ts'
import { corpora, material } from '../fuzz/corpus.ts'
import { createDice, type Dice } from '../fuzz/dice.ts'
import { mutate } from '../fuzz/mutate.ts'
import { protocols } from '../protocols/translation/pairs.ts'

/** In front of a body it means nothing, but makes it one that is not parsed as a whole. */
const space = ' '.repeat(largeBytes)

function read(bytes: Buffer, operation: Operation): RequestBody | GatewayError {
  try {
    return checkBody(parseJsonBody(bytes), operation)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

/** All that the gateway takes from a body, or what it says against it. */
function told(bytes: Buffer, operation: Operation, shift = 0): unknown {
  const body = read(bytes, operation)
  if (body instanceof GatewayError) return [body.kind, body.message, body.details]
  const { facts, fields } = body
  const { text, uncounted, media, hiddenWork, ...plain } = facts
  return {
    ...plain,
    text: text(),
    uncounted: uncounted(),
    media: media(),
    hiddenWork: hiddenWork?.(),
    value: body.value(),
    conversation: body.conversation({ hint: undefined, model: undefined }),
    renamed: body.rename('other'),
    fields: Array.from(fields?.spans ?? [], ([name, { start, end }]) => [
      name,
      start - shift,
      end - shift,
    ]),
    close: (fields?.close ?? 0) - shift,
  }
}

function expectSame(body: string | Buffer, protocol: ProtocolName, operation?: Operation): boolean {
  const bytes = Buffer.from(body)
  const by = operation ?? protocols[protocol].generation
  const large = Buffer.concat([Buffer.from(space), bytes])
  const whole = told(bytes, by)
  expect(told(large, by, space.length)).toEqual(whole)
  return !Array.isArray(whole)
}

const long = (text: string) => text.repeat(Math.ceil(600 / text.length))
const texts = [
  ...[
    'x',
    'A line.\n',
    'She said "no".\\',
    'größer ',
    '漢字',
    '😀',
    '\u0000\u001b[0m',
    'C:\\u0041',
  ],
  ...[
    'data:image/png;base64,AAAA',
    'data:application/pdf;base64,/+/+',
    'data:a"b;base64,',
    'data:\n',
  ],
  ...['(shortened ', '\\ud83d', '\ufeff', '\u2028'],
].map(long)

/** Some strings of a value are made long ones. */
function lengthen(value: unknown, dice: Dice): unknown {
  if (typeof value === 'string') {
    return dice.once(4) ? `${dice.once(2) ? value : ''}${dice.pick(texts)}` : value
  }
  if (Array.isArray(value)) return value.map((item) => lengthen(item, dice))
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [
    dice.once(200) ? name + dice.pick(texts) : name,
    /^(type|role)$/.test(name) && !dice.once(40) ? member : lengthen(member, dice),
  ])
  return Object.fromEntries(entries)
}

const oddBytes = [
  ...['"', '\\', '\\u', '\\ud83d', '\\ude00', '\\ud83d\\ude00', '\\u12', '\n', '\u0000', ',', ':'],
  ...['{', '}', '[', ']', '"a":1,', '"model":"b",', '"stream":true,', '[[[[', 'e', '1', '\\/'],
].map((text) => Buffer.from(text))
const noUtf8 = [Buffer.of(0xff), Buffer.of(0xc3), Buffer.of(0xed, 0xa0, 0xbd), Buffer.of(0x80)]

/** Damages a text in a few places. */
function damage(text: string, dice: Dice): Buffer {
  let bytes = Buffer.from(text)
  for (let times = dice.below(3); times > 0; times--) {
    const at = dice.below(bytes.length + 1)
    const put = dice.once(3) ? Buffer.alloc(0) : dice.pick(dice.once(8) ? noUtf8 : oddBytes)
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + dice.below(2))])
  }
  return bytes
}

describe('a large body is read as a small one is', () => {
  test.each(protocolNames)('requests of %s made by chance', (protocol) => {
    let taken = 0
    for (let seed = 0; seed < 1_500; seed++) {
      const dice = createDice('large', protocol, seed)
      const request = JSON.parse(corpora[protocol].requests.pick(dice))
      if (dice.once(2)) mutate(request, dice, material)
      const text = JSON.stringify(lengthen(request, dice))
      if (text.length > largeBytes / 2) continue
      if (expectSame(damage(text, dice), protocol)) taken++
    }
    expect(taken).toBeGreaterThan(300)
  })

  const text = 'x'.repeat(300)
  const document = (kind: string) => ({
    type: 'file',
    file: { file_data: `data:${kind};base64,${'A'.repeat(6_000)}` },
  })
  /** Of bodies that are small without the white space. */
  const data = 'A'.repeat(12_000)
  /** Written in JSON; the type of the data tells what it counts for. */
  const otherKinds = [
    ...['data:text\\/plain', 'data:application\\/json', 'data:application/x*xml'],
    ...['\\u0064ata:image/png', 'd\\u0061ta:text/csv', `data:text/${'x'.repeat(99)}`],
  ].map((kind) => `"${kind};base64,${data}"`)
  const image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,${data.slice(0, 5_000)}"}}`
  const twice = `{"model":"m","messages":[{"role":"user","content":[{"type":"other","${text}":${image},"${text}" : ${image}}]}]}`
  const chat = (more: JsonObject) => ({
    model: 'm',
    messages: [{ role: 'user', content: text }],
    ...more,
  })
  test.each([
    ['a long model', 'chat', chat({ model: text })],
    ['a long role', 'chat', chat({ messages: [{ role: text, content: text }] })],
    ['a wrong role beside a long text', 'chat', chat({ messages: [{ role: '', content: text }] })],
    ['a long text in stream_options', 'chat', chat({ stream: true, stream_options: { a: text } })],
    ['a long cache key', 'chat', chat({ prompt_cache_key: text })],
    ['long names', 'chat', chat({ metadata: { [text]: 1, [`${text}2`]: 2 } })],
    ['names in capitals', 'chat', chat({ Model: text })],
    ['a long id', 'responses', { model: 'm', input: 'x', previous_response_id: text }],
    ['a long conversation', 'responses', { model: 'm', input: 'x', conversation: { id: text } }],
    [
      'a long reference',
      'responses',
      { model: 'm', input: [{ type: 'item_reference', id: text }, { content: text }] },
    ],
    ...['"id":', '"\\u0069d" :', '\n"\\u0069\\u0064"\t:\r\n '].map(
      (name) =>
        [
          `a long id behind ${JSON.stringify(name)}`,
          'responses',
          `{"model":"m","input":[{"type":"message","role":"user","content":"x",${name}"${'a'.repeat(700)}"}]}`,
        ] as const,
    ),
    [
      'a long document of text',
      'chat',
      chat({
        messages: [{ role: 'user', content: [document('text/plain'), document('image/png')] }],
      }),
    ],
    ['one long input', 'responses', { model: 'm', input: text, instructions: text }],
    [
      'a long user id',
      'messages',
      { ...chat({ max_tokens: 1 }), metadata: { user_id: `${text}y` } },
    ],
    [
      'a long text in place of a number',
      'messages',
      { ...chat({ max_tokens: text }), metadata: { user_id: text } },
    ],
    ['a long name twice, each with a file in it', 'chat', twice],
    ...otherKinds.map(
      (file_data) =>
        [
          `a document ${file_data.slice(1, 40)}`,
          'chat',
          `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"file_data":${file_data}}}]}]}`,
        ] as const,
    ),
    [
      'a long media type',
      'messages',
      {
        ...{ model: 'm', max_tokens: 1 },
        messages: [{ role: 'user', content: [document(`text/plain; a=${text}`)] }],
      },
    ],
    ['no object', 'chat', [text]],
    ['a long string', 'chat', text],
  ] as const)('%s', (_, protocol, body) => {
    expectSame(
      typeof body === 'string' && body.startsWith('{') ? body : JSON.stringify(body),
      protocol,
    )
  })

  test.each([
    ['deep', `${'['.repeat(9_000)}${']'.repeat(9_000)}`, 'nested'],
    ['full', `[${'0,'.repeat(1_100_000)}0]`, 'values'],
  ])('what is too %s is not parsed', (_, messages, word) => {
    const parse = spyOn(JSON, 'parse')
    try {
      expect(() => parseJsonBody(Buffer.from(`{"model":"m","messages":${messages}}`))).toThrow(word)
      expect(parse).not.toHaveBeenCalled()
    } finally {
      parse.mockRestore()
    }
  })

  test('where a processor lacks what the scan is made of, it is read all the same', async () => {
    const module = join(import.meta.dir, '../../src/gateway/body/body.ts')
    const script =
      `import { parseJsonBody } from ${JSON.stringify(module)}\n` +
      "const body = JSON.stringify({ model: 'm', input: 'x'.repeat(20_000) })\n" +
      'console.log(JSON.stringify(parseJsonBody(Buffer.from(body)).outline) === body)'
    const env = { ...process.env, BUN_JSC_useWasmSIMD: '0' }
    expect((await $`bun -e ${script}`.env(env).text()).trim()).toBe('true')
  })

  test('a model is known by its whole name, should the body be refused', () => {
    const parsed = parseJsonBody(Buffer.from(`${space}{"model":"${text}","input":"${text}"}`))
    expect(parsed.outline).toMatchObject({ model: text })
    expect(parsed.outline).not.toMatchObject({ input: text })
  })

  test('names of models inside are changed without shortening what is beside them', () => {
    const { batchEmbed } = gemini.operations
    const value = { requests: [{ model: 'models/a', content: { parts: [{ text }] } }] }
    const parsed = parseJsonBody(Buffer.from(space + JSON.stringify(value)))
    expect(JSON.stringify(parsed.outline)).not.toContain(text)
    const body = checkBody(parsed, batchEmbed)
    expect(body.rename('b')).toEqual({
      requests: [{ model: 'models/b', content: { parts: [{ text }] } }],
    })
  })

  test('long texts are not in what is parsed, and are found again', () => {
    const written = texts.map((one) => ({ role: 'user', content: one }))
    const { outline, texts: found } = parseJsonBody(
      Buffer.from(space + JSON.stringify(chat({ messages: written }))),
    )
    const { messages } = outline as { readonly messages: readonly { readonly content: string }[] }
    for (const [index, { content }] of messages.entries()) {
      const text = JSON.stringify(texts[index])
      // What may be the address of data, with an escape in its kind, is not shortened.
      const isWhole = /^"(data:[^;,]*\\|.{0,28}\\u)/.test(text)
      expect([text, content.length < 130]).toEqual([text, !isWhole])
    }
    expect(messages.map(({ content }) => found.whole(content))).toEqual(texts)
    expect(messages.map(({ content }) => found.lengthOf(content))).toEqual(
      texts.map(({ length }) => length),
    )
  })
})
