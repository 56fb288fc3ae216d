import { describe, expect, test } from 'bun:test'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { wrapSignatures } from '../../../src/protocols/gemini/thinking.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { startCpuTime } from '../../support/cpu-time.ts'
import { decode, decodeUserPart, nativeOf, target } from './codec-support.ts'

const base64 = (text: string) => new TextEncoder().encode(text).toBase64()
const model = (...parts: object[]) => ({ role: 'model', parts })
const fromUser = (...parts: object[]) => ({ role: 'user', parts })
const turnsOf = (...contents: object[]) => decode({ contents }).turns

describe('contents as turns', () => {
  test('T21: roles: none is the user, function and tool are the user', () => {
    const roles = turnsOf({ parts: [{ text: 'a' }] }, model({ text: 'b' }))
    expect(roles.map(({ role }) => role)).toEqual(['user', 'assistant'])
    const result = { functionResponse: { name: 'f', response: {} } }
    expect(turnsOf({ role: 'function', parts: [result] })[0]).toMatchObject({ role: 'user' })
  })

  test('several texts of a system instruction are parts of one turn', () => {
    const systemInstruction = { role: 'user', parts: [{ text: 'a' }, { text: '' }, { text: 'b' }] }
    expect(decode({ systemInstruction, contents: [] }).turns).toEqual([
      {
        role: 'system',
        parts: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  test('T21: a turn that was sent empty stays a turn, and no text is invented', () => {
    expect(turnsOf(fromUser({ text: '' }), model({ text: 'a' }))).toEqual([
      { role: 'user', parts: [] },
      { role: 'assistant', parts: [{ type: 'text', text: 'a' }] },
    ])
  })

  test('T10: the chunks of a streamed answer, kept as contents of their own, are one text', () => {
    const chunks = Array.from({ length: 200 }, (_, index) => model({ text: `${index} ` }))
    const thoughts = ['Hm', ' so'].map((text) => model({ text, thought: true }))
    const thoughtSignature = wrapSignatures(['tgs1.a'])
    const end = model({ text: '', thoughtSignature })
    const [, turn] = turnsOf(fromUser({ text: 'a' }), ...thoughts, ...chunks, end)
    expect(turn?.parts).toEqual([
      { type: 'reasoning', text: 'Hm so' },
      { type: 'reasoning', text: '', signature: 'tgs1.a' },
      { type: 'text', text: chunks.map((_, index) => `${index} `).join('') },
    ])
  })

  test('what one content has as several texts stays so, and so do messages of the user', () => {
    const texts = [{ text: 'a' }, { text: 'b' }]
    const [user, turn] = turnsOf(fromUser({ text: 'a' }), fromUser({ text: 'b' }), model(...texts))
    expect([user?.parts.length, turn?.parts.length]).toEqual([2, 2])
  })

  test('paths are the client’s own', () => {
    const at = (body: JsonObject) => gemini.codec.decodeRequest(body, target).turns[0]?.parts[0]?.at
    expect(at({ contents: [fromUser({ text: 'a' })] })).toBe('contents[0].parts[0]')
    expect(at({ contents: { parts: { text: 'a' } } })).toBe('contents.parts')
    expect(at({ system_instruction: { parts: [{ text: 'a' }] }, contents: [] })).toBe(
      'system_instruction.parts[0]',
    )
  })
})

describe('calls and their results', () => {
  const callOf = (name: string, id?: string) => ({ functionCall: { id, name, args: { a: 1 } } })
  const resultOf = (name: string, output: string, id?: string) => ({
    functionResponse: { id, name, response: { output } },
  })
  const ids = (...contents: object[]) =>
    turnsOf(...contents).map(({ parts }) =>
      parts.map((part) =>
        part.type === 'tool-call' || part.type === 'tool-result' ? part.callId : part.type,
      ),
    )

  test('ids that the client gives are kept', () => {
    expect(ids(model(callOf('f', 'x')), fromUser(resultOf('f', 'r', 'x')))).toEqual([['x'], ['x']])
  })

  test('without ids they are paired by name and order', () => {
    const calls = model({ text: 'a' }, callOf('f'), callOf('g'), callOf('f'))
    const results = fromUser(resultOf('g', '1'), resultOf('f', '2'), resultOf('f', '3'))
    expect(ids(fromUser({ text: 'q' }), calls, results)).toEqual([
      ['text'],
      ['text', 'call_1_1', 'call_1_2', 'call_1_3'],
      ['call_1_2', 'call_1_1', 'call_1_3'],
    ])
  })

  test('T12: parallel results in contents of their own are one turn', () => {
    const calls = model(callOf('f'), callOf('f'))
    const turns = ids(calls, fromUser(resultOf('f', '1')), fromUser(resultOf('f', '2')))
    expect(turns).toEqual([
      ['call_0_0', 'call_0_1'],
      ['call_0_0', 'call_0_1'],
    ])
  })

  test('an id on one side only does not part them', () => {
    expect(ids(model(callOf('f', 'x')), fromUser(resultOf('f', '1')))).toEqual([['x'], ['x']])
    expect(ids(model(callOf('f')), fromUser(resultOf('f', '1', 'y')))).toEqual([
      ['call_0_0'],
      ['call_0_0'],
    ])
  })

  test('two different ids are two calls, even of one name', () => {
    const turns = ids(model(callOf('f', 'x')), fromUser(resultOf('f', '1', 'y')))
    expect(turns).toEqual([['x'], ['y']])
  })

  test('calls of an earlier turn that nobody answered wait no longer', () => {
    const contents = [model(callOf('f')), fromUser({ text: 'no' }), model(callOf('f'))]
    expect(ids(...contents, fromUser(resultOf('f', '1')))).toEqual([
      ['call_0_0'],
      ['text'],
      ['call_2_0'],
      ['call_2_0'],
    ])
  })

  test('the ids of a conversation stay when it goes on', () => {
    const begun = [fromUser({ text: 'q' }), model(callOf('f')), fromUser(resultOf('f', '1'))]
    const before = ids(...begun)
    expect(ids(...begun, model(callOf('f'))).slice(0, before.length)).toEqual(before)
  })

  test('ten thousand parallel calls are paired in no time', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => index)
    const calls = model(...many.map(() => callOf('f')))
    const results = fromUser(...many.map((index) => resultOf('f', `${index}`)))
    const cpuMs = startCpuTime()
    const [asked, answered] = ids(calls, results)
    expect(answered).toEqual(asked as string[])
    expect(cpuMs()).toBeLessThan(2000)
  })

  test.each<[object, string, boolean | undefined]>([
    [{ output: 'a' }, 'a', undefined],
    [{ result: 'a' }, 'a', undefined],
    [{ error: 'a' }, 'a', true],
    [{ error: { code: 1 } }, '{"error":{"code":1}}', true],
    [{ output: { a: 1 } }, '{"output":{"a":1}}', undefined],
    [{ output: 'a', more: 1 }, '{"output":"a","more":1}', undefined],
    [{ return_value: 'a' }, '{"return_value":"a"}', undefined],
  ])('the response %j is the text %j', (response, text, isError) => {
    const [part] = decodeUserPart({ functionResponse: { name: 'f', response } })
    expect(part).toMatchObject({ type: 'tool-result', parts: [{ type: 'text', text }] })
    expect((part as { isError?: boolean }).isError as unknown).toBe(isError)
  })

  test('T15: images and documents of a response are parts of the result', () => {
    const parts = [
      { inline_data: { mime_type: 'image/png', data: '_-8=' } },
      { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
    ]
    const [part] = decodeUserPart({ functionResponse: { name: 'f', response: {}, parts } })
    expect(part).toMatchObject({
      parts: [
        { type: 'image', source: { type: 'data', mediaType: 'image/png', data: '/+8=' } },
        { type: 'document', source: { mediaType: 'application/pdf' } },
      ],
    })
  })

  test('calls in a content of the user are the model’s, results in the model’s the user’s', () => {
    const turns = turnsOf(fromUser(callOf('f')), model(resultOf('f', 'r'), { text: 'a' }))
    expect(turns.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant'])
  })
})

describe('media', () => {
  test.each<[object, object]>([
    [{ mimeType: 'image/png', data: 'AAAA' }, { type: 'image' }],
    [{ mimeType: 'audio/wav', data: 'AAAA' }, { type: 'audio' }],
    [{ mimeType: 'video/mp4', data: 'AAAA' }, { type: 'video' }],
    [{ mimeType: 'application/pdf', data: 'AAAA' }, { type: 'document' }],
    [
      { mimeType: 'text/plain', data: base64('Héllo') },
      { type: 'document', source: { type: 'text', text: 'Héllo' } },
    ],
    [
      { mimeType: 'application/json', data: base64('{}') },
      { type: 'document', source: { type: 'text', text: '{}' } },
    ],
    [
      { mimeType: 'text/plain', data: '//79' },
      { type: 'document', source: { type: 'data', mediaType: 'text/plain', data: '//79' } },
    ],
    [
      { mimeType: 'image/png', data: '-_8' },
      { type: 'image', source: { type: 'data', mediaType: 'image/png', data: '+/8=' } },
    ],
  ])('T15: inlineData %j', (inlineData, part) => {
    expect(decodeUserPart({ inlineData })).toMatchObject([part])
  })

  test.each<[{ fileUri: string; mimeType?: string }, object]>([
    [{ fileUri: 'https://x.test/a.png', mimeType: 'image/png' }, { type: 'image' }],
    [{ fileUri: 'https://x.test/a.pdf?v=1' }, { type: 'document' }],
    [{ fileUri: 'https://youtu.be/x', mimeType: 'video/mp4' }, { type: 'video' }],
  ])('T15: fileData %j is an address', (fileData, part) => {
    const source = { type: 'url', url: fileData.fileUri }
    expect(decodeUserPart({ fileData })).toMatchObject([{ ...part, source }])
  })

  test.each<[object, string]>([
    [{ fileUri: 'gs://b/a.png', mimeType: 'image/png' }, 'uploaded_file'],
    [{ fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a' }, 'uploaded_file'],
    [{ fileUri: 'https://x.test/unknown' }, 'unknown_part'],
    [{ fileUri: 'ftp://x.test/a.png', mimeType: 'image/png' }, 'unknown_part'],
  ])('T15: fileData %j is noted, not dropped in silence', (fileData, feature) => {
    const body = { contents: [fromUser({ text: 'a' }, { fileData })] }
    expect(nativeOf(body)).toEqual([`${feature} contents[0].parts[1]`])
    expect(decode(body).turns[0]?.parts).toHaveLength(1)
  })

  test.each<[object, string]>([
    [{ executableCode: { code: '1' } }, 'hosted_item contents[0].parts[0]'],
    [{ codeExecutionResult: {} }, 'hosted_item contents[0].parts[0]'],
    [{ toolCall: {} }, 'hosted_item contents[0].parts[0]'],
    [{ thought: false }, 'unknown_part contents[0].parts[0]'],
    [{ text: 'a', videoMetadata: { fps: 1 } }, 'unknown_field contents[0].parts[0].videoMetadata'],
    [{ text: 'a', media_resolution: {} }, 'unknown_field contents[0].parts[0].media_resolution'],
  ])('the part %j is noted', (part, use) => {
    expect(nativeOf({ contents: [fromUser(part)] })).toEqual([use])
  })
})

test('an empty part, which SDKs send back for an empty text, says nothing', () => {
  const body = { contents: [fromUser({}, { text: 'a' }, {})] }
  expect(nativeOf(body)).toEqual([])
  expect(decode(body).turns[0]?.parts).toMatchObject([{ type: 'text', text: 'a' }])
})

describe('signatures of thought', () => {
  const call = { functionCall: { name: 'f', args: {} } }
  const partsOf = (...parts: object[]) => turnsOf(model(...parts))[0]?.parts

  test('T9: that of a call comes before it, and says whose it is', () => {
    expect(partsOf({ ...call, thoughtSignature: 'c2ln' }, call)).toEqual([
      { type: 'reasoning', text: '', signature: 'c2ln', callId: 'call_0_0' },
      { type: 'tool-call', callId: 'call_0_0', name: 'f', kind: 'function', input: '{}' },
      { type: 'tool-call', callId: 'call_0_1', name: 'f', kind: 'function', input: '{}' },
    ])
  })

  test('that of a text comes behind it, that of a thought is its own', () => {
    expect(
      partsOf(
        { text: 'hm', thought: true, thought_signature: 'YQ==' },
        { text: 'so', thoughtSignature: 'Yg==' },
        { text: '', thoughtSignature: 'Yw==' },
      ),
    ).toEqual([
      { type: 'reasoning', text: 'hm', signature: 'YQ==' },
      { type: 'text', text: 'so' },
      { type: 'reasoning', text: '', signature: 'Yg==' },
      { type: 'reasoning', text: '', signature: 'Yw==' },
    ])
  })

  test.each([
    'skip_thought_signature_validator',
    'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=',
    'context_engineering_is_the_way_to_go',
  ])('what only stands for one (%s) is none', (thoughtSignature) => {
    expect(partsOf({ ...call, thoughtSignature })).toHaveLength(1)
  })

  test('T8: those of this gateway come back as they were given, in either alphabet of base64', () => {
    // Chosen so that both alphabets differ.
    const ours = wrapSignatures(['tgs1.??>>', 'tgs1.ÿÿ'])
    expect(ours).toMatch(/[+/]/)
    for (const wire of [ours, ours.replaceAll('+', '-').replaceAll('/', '_')]) {
      const [part] = partsOf({ ...call, thoughtSignature: wire }) ?? []
      expect(part as object).toMatchObject({ signature: 'tgs1.??>>~tgs1.ÿÿ', callId: 'call_0_0' })
    }
  })

  test('T10: those of this gateway go back before the text that they were before', () => {
    const thoughtSignature = wrapSignatures(['tgs1.a'])
    const types = (...parts: object[]) => partsOf(...parts)?.map(({ type }) => type)
    expect(types({ text: 'a' }, { text: '', thoughtSignature })).toEqual(['reasoning', 'text'])
    expect(types({ text: 'a' }, { text: 'b' }, { ...call, thoughtSignature })).toEqual([
      'reasoning',
      'text',
      'text',
      'tool-call',
    ])
    expect(types(call, { text: 'a' }, { ...call, thoughtSignature })).toEqual([
      'tool-call',
      'reasoning',
      'text',
      'tool-call',
    ])
  })

  test('T6: a user does not reason', () => {
    expect(turnsOf(fromUser({ text: 'a', thoughtSignature: 'YQ==' }))).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'a' }] },
    ])
  })
})
