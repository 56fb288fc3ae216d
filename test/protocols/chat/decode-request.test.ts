import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { bare, decode } from './codec-scene.ts'

/** The turns of a conversation, without their paths. */
const turnsOf = (...messages: unknown[]) => bare(decode({ messages }).turns)
const user = (content: unknown, more: JsonObject = {}) => ({ role: 'user', content, ...more })
const call = (id: string, name: string, args: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const turn = (role: string, ...parts: unknown[]) => ({ role, parts })
const text = (value: string) => ({ type: 'text', text: value })
const calling = (callId: string, name: string, input: string, kind = 'function') => ({
  type: 'tool-call',
  callId,
  name,
  kind,
  input,
})
const result = (callId: string, name: string, ...parts: unknown[]) => ({
  type: 'tool-result',
  callId,
  name,
  kind: 'function',
  parts,
})

describe('the conversation of a chat request', () => {
  const cases: readonly (readonly [name: string, messages: readonly unknown[], turns: unknown])[] =
    [
      [
        'T21: every role, and names',
        [
          { role: 'system', content: 'S' },
          { role: 'developer', content: [{ type: 'text', text: 'D' }] },
          user('Hi', { name: 'ann' }),
          { role: 'assistant', content: 'Yes?', name: 'bot' },
        ],
        [
          turn('system', text('S')),
          turn('developer', text('D')),
          turn('user', { ...text('Hi'), name: 'ann' }),
          turn('assistant', { ...text('Yes?'), name: 'bot' }),
        ],
      ],
      [
        'T21: empty and null content',
        [
          { role: 'system', content: '' },
          user(''),
          { role: 'assistant', content: null },
          user([{ type: 'text', text: '' }]),
        ],
        [turn('user'), turn('assistant'), turn('user')],
      ],
      [
        'neighbours of a role are one turn, and an empty text in it is left out',
        [user('a'), user(''), user('b'), { role: 'assistant', content: 'c' }],
        [turn('user', text('a'), text('b')), turn('assistant', text('c'))],
      ],
      [
        'calls, null content beside them, and their results',
        [
          user('x'),
          {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [call('c1', 'f', '{"a":1}')],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'ok' },
        ],
        [
          turn('user', text('x')),
          turn('assistant', calling('c1', 'f', '{"a":1}')),
          turn('user', result('c1', 'f', text('ok'))),
        ],
      ],
      [
        'T5: arguments as an object, as nothing and as an empty text',
        [
          {
            role: 'assistant',
            tool_calls: [call('1', 'f', { a: 1 }), call('2', 'g', null), call('3', 'h', '')],
          },
        ],
        [
          turn(
            'assistant',
            calling('1', 'f', '{"a":1}'),
            calling('2', 'g', '{}'),
            calling('3', 'h', '{}'),
          ),
        ],
      ],
      [
        'a custom call, and its result of the same kind',
        [
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch', input: '*** x' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'done' }] },
        ],
        [
          turn('assistant', calling('c', 'patch', '*** x', 'custom')),
          turn('user', { ...result('c', 'patch', text('done')), kind: 'custom' }),
        ],
      ],
      [
        'the older function_call and role function',
        [
          user('x'),
          { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
          { role: 'function', name: 'f', content: 'ok' },
          { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"n":2}' } },
          { role: 'function', name: 'f', content: 'ok 2' },
        ],
        [
          turn('user', text('x')),
          turn('assistant', calling('call_1', 'f', '{}')),
          turn('user', result('call_1', 'f', text('ok'))),
          turn('assistant', calling('call_3', 'f', '{"n":2}')),
          turn('user', result('call_3', 'f', text('ok 2'))),
        ],
      ],
      [
        'calls without ids, and results that answer them in order',
        [
          { role: 'assistant', tool_calls: [call('', 'f', '{}'), call('', 'g', '{}')] },
          { role: 'tool', tool_call_id: '', content: 'of f' },
          { role: 'tool', content: 'of g' },
        ],
        [
          turn('assistant', calling('call_0', 'f', '{}'), calling('call_0_1', 'g', '{}')),
          turn('user', result('call_0', 'f', text('of f')), result('call_0_1', 'g', text('of g'))),
        ],
      ],
      [
        'results without ids, and with names, in another order',
        [
          { role: 'assistant', tool_calls: [call('c1', 'f', '{}'), call('c2', 'g', '{}')] },
          { role: 'tool', name: 'g', content: 'of g' },
          { role: 'tool', name: 'f', content: 'of f' },
        ],
        [
          turn('assistant', calling('c1', 'f', '{}'), calling('c2', 'g', '{}')),
          turn('user', result('c2', 'g', text('of g')), result('c1', 'f', text('of f'))),
        ],
      ],
      [
        'a refusal, as a field and as a part',
        [
          { role: 'assistant', content: null, refusal: 'No.' },
          user('?'),
          { role: 'assistant', content: [{ type: 'refusal', refusal: 'No!' }] },
        ],
        [
          turn('assistant', { type: 'refusal', text: 'No.' }),
          turn('user', text('?')),
          turn('assistant', { type: 'refusal', text: 'No!' }),
        ],
      ],
      [
        'marks for the prompt cache, on parts, messages and results',
        [
          {
            role: 'system',
            content: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
          },
          user(
            [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
            {
              cache_control: { type: 'ephemeral', ttl: '1h' },
            },
          ),
          { role: 'assistant', tool_calls: [call('c', 'f', '{}')] },
          {
            role: 'tool',
            tool_call_id: 'c',
            content: 'x',
            cache_control: { type: 'ephemeral', ttl: '5m' },
          },
          user([{ type: 'text', text: 'z', prompt_cache_breakpoint: { mode: 'explicit' } }]),
        ],
        [
          turn('system', { ...text('S'), cache: '5m' }),
          turn('user', text('a'), { ...text('b'), cache: '1h' }),
          turn('assistant', calling('c', 'f', '{}')),
          turn(
            'user',
            { ...result('c', 'f', text('x')), cache: '5m' },
            { ...text('z'), cache: '5m' },
          ),
        ],
      ],
    ]

  for (const [name, messages, turns] of cases) {
    test(name, () => expect(turnsOf(...messages)).toEqual(turns))
  }

  test('T6: reasoning comes before the text and the calls, whatever it is called', () => {
    const after = [text('a'), calling('c', 'f', '{}')]
    const message = { role: 'assistant', content: 'a', tool_calls: [call('c', 'f', '{}')] }
    const detail = (more: JsonObject) => ({ index: 0, ...more })
    const forms: readonly (readonly [fields: JsonObject, parts: readonly unknown[]])[] = [
      [{ reasoning_content: 'R' }, [{ text: 'R' }]],
      [{ reasoning: 'R' }, [{ text: 'R' }]],
      [{ reasoning: 'R', reasoning_content: 'R' }, [{ text: 'R' }]],
      [{ reasoning_content: ' ' }, []],
      [
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'R' }] }, text('a')] },
        [{ text: 'R' }],
      ],
      [
        {
          reasoning: 'R',
          reasoning_details: [detail({ type: 'reasoning.text', text: 'R', signature: 'sig' })],
        },
        [{ text: 'R', signature: 'sig' }],
      ],
      [
        {
          reasoning_details: [
            detail({ type: 'reasoning.summary', summary: 'R1', id: 'rs_1' }),
            detail({ type: 'reasoning.encrypted', data: 'enc', id: 'rs_1' }),
            { type: 'reasoning.text', text: 'R2', index: 1 },
            { type: 'reasoning.telepathy', text: '?' },
          ],
        },
        [{ text: 'R1', signature: 'enc', id: 'rs_1' }, { text: 'R2' }],
      ],
      [
        {
          reasoning: 'R',
          reasoning_details: [detail({ type: 'reasoning.encrypted', data: 'enc' })],
        },
        [{ text: 'R', signature: 'enc' }],
      ],
      [
        {
          reasoning_content: 'R1R2',
          reasoning_details: [
            { type: 'reasoning.encrypted', data: 's1', id: null, format: 'tollgate', index: 0 },
            { type: 'reasoning.encrypted', data: 's2', id: null, format: 'tollgate', index: 1 },
          ],
        },
        [{ text: '', signature: 's1' }, { text: '', signature: 's2' }, { text: 'R1R2' }],
      ],
    ]
    for (const [fields, parts] of forms) {
      const reasoning = parts.map((part) => ({ type: 'reasoning', ...(part as JsonObject) }))
      expect(turnsOf({ ...message, ...fields })).toEqual([
        turn('assistant', ...reasoning, ...after),
      ])
    }
  })
})

describe('media of a chat request', () => {
  const cases: readonly (readonly [name: string, part: unknown, decoded: unknown])[] = [
    [
      'an image as data',
      { type: 'image_url', image_url: { url: 'data:image/PNG;base64,AAA=', detail: 'low' } },
      {
        type: 'image',
        source: { type: 'data', mediaType: 'image/png', data: 'AAA=' },
        detail: 'low',
      },
    ],
    [
      'an image by its address',
      { type: 'image_url', image_url: { url: 'https://x.test/a,b.png' } },
      { type: 'image', source: { type: 'url', url: 'https://x.test/a,b.png' } },
    ],
    [
      'an image as Mistral takes it',
      { type: 'image_url', image_url: 'https://x.test/a.png' },
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
    ],
    [
      'sound of a format with another name',
      { type: 'input_audio', input_audio: { data: 'AAA=', format: 'mp3' } },
      { type: 'audio', source: { type: 'data', mediaType: 'audio/mpeg', data: 'AAA=' } },
    ],
    [
      'sound',
      { type: 'input_audio', input_audio: { data: 'AAA=', format: 'wav' } },
      { type: 'audio', source: { type: 'data', mediaType: 'audio/wav', data: 'AAA=' } },
    ],
    [
      'a file',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAA=', filename: 'a.pdf' } },
      {
        type: 'document',
        source: { type: 'data', mediaType: 'application/pdf', data: 'AAA=' },
        title: 'a.pdf',
      },
    ],
    [
      'a document as Mistral takes it',
      { type: 'document_url', document_url: 'https://x.test/a.pdf', document_name: 'a' },
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' }, title: 'a' },
    ],
    [
      'a video',
      { type: 'video_url', video_url: { url: 'https://x.test/a.mp4' } },
      { type: 'video', source: { type: 'url', url: 'https://x.test/a.mp4' } },
    ],
  ]
  for (const [name, part, decoded] of cases) {
    test(`T15: ${name} arrives`, () =>
      expect(turnsOf(user([part]))).toEqual([turn('user', decoded)]))
  }

  test('T15: images of a tool’s result arrive, and paths say where they are', () => {
    const image = { type: 'image_url', image_url: { url: 'https://x.test/a.png' } }
    const [, answer] = decode({
      messages: [
        { role: 'assistant', tool_calls: [call('c', 'f', '{}')] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'see' }, image] },
        user([text('and'), image]),
      ],
    }).turns
    const source = { type: 'url', url: 'https://x.test/a.png' }
    const inside = [
      { ...text('see'), at: 'messages[1].content[0]' },
      { type: 'image', source, at: 'messages[1].content[1]' },
    ]
    expect(JSON.parse(JSON.stringify(answer))).toEqual(
      turn(
        'user',
        { ...result('c', 'f', ...inside), at: 'messages[1]' },
        { ...text('and'), at: 'messages[2].content[0]' },
        { type: 'image', source, at: 'messages[2].content[1]' },
      ),
    )
  })
})
