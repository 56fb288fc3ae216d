import { describe, expect, test } from 'bun:test'
import type { Quirk } from '../../../src/protocols/canonical/quirks.ts'
import type {
  ImagePart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../../src/protocols/canonical/request.ts'
import { messagesOf } from './codec-scene.ts'

const text = (value: string): Part => ({ type: 'text', text: value })
const image: ImagePart = {
  type: 'image',
  source: { type: 'data', mediaType: 'image/png', data: 'AAA=' },
}
const imagePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAA=' } }
const thought = (value: string, signature?: string): ReasoningPart => ({
  type: 'reasoning',
  text: value,
  signature,
})
const call = (callId: string): ToolCallPart => ({
  type: 'tool-call',
  callId,
  name: 'f',
  kind: 'function',
  input: '{"a":1}',
})
const wireCall = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{"a":1}' },
})
const result = (callId: string, ...parts: ToolResultPart['parts']): ToolResultPart => ({
  type: 'tool-result',
  callId,
  name: 'f',
  kind: 'function',
  parts,
})
const pdf: Part = {
  type: 'document',
  source: { type: 'data', mediaType: 'application/pdf', data: 'AAA=' },
}
const file = (filename: string) => ({
  type: 'file',
  file: { filename, file_data: 'data:application/pdf;base64,AAA=' },
})

type Case = readonly [
  name: string,
  turns: readonly Turn[],
  messages: readonly unknown[],
  ...quirks: Quirk[],
]
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })

const cases: readonly Case[] = [
  [
    'a lone text is a string, several are parts',
    [user(text('a')), assistant(text('b'), text('c'))],
    [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [text('b'), text('c')] },
    ],
  ],
  [
    'several texts are one for an upstream that takes text only',
    [user(text('a'), text('b'))],
    [{ role: 'user', content: 'a\n\nb' }],
    'text_only',
  ],
  [
    'T21: empty turns',
    [user(), assistant()],
    [
      { role: 'user', content: '' },
      { role: 'assistant', content: '' },
    ],
  ],
  [
    'T21: instructions in their places and roles',
    [
      { role: 'system', parts: [text('s')] },
      { role: 'developer', parts: [text('d')] },
      user(text('a')),
      { role: 'developer', parts: [text('e')] },
    ],
    [
      { role: 'system', content: 's' },
      { role: 'developer', content: 'd' },
      { role: 'user', content: 'a' },
      { role: 'developer', content: 'e' },
    ],
  ],
  [
    'developers are system for an upstream that knows no other',
    [{ role: 'developer', parts: [text('d')] }],
    [{ role: 'system', content: 'd' }],
    'no_developer_role',
  ],
  [
    'each speaker has a message of their own',
    [
      user(
        { type: 'text', text: 'a', name: 'ann' },
        image,
        { type: 'text', text: 'b', name: 'bob' },
        text('c'),
      ),
    ],
    [
      { role: 'user', name: 'ann', content: [text('a'), imagePart] },
      { role: 'user', name: 'bob', content: 'b' },
      { role: 'user', content: 'c' },
    ],
  ],
  [
    'results come first, each in a message of its own',
    [
      assistant(call('1'), call('2')),
      user(text('and?'), result('1', { type: 'text', text: 'x' }), result('2')),
    ],
    [
      { role: 'assistant', content: null, tool_calls: [wireCall('1'), wireCall('2')] },
      { role: 'tool', tool_call_id: '1', content: 'x' },
      { role: 'tool', tool_call_id: '2', content: '' },
      { role: 'user', content: 'and?' },
    ],
  ],
  [
    'T15: images in a result stay in it where it may hold them',
    [user(result('1', { type: 'text', text: 'see' }, image))],
    [{ role: 'tool', tool_call_id: '1', content: [text('see'), imagePart] }],
    'image_tool_results',
  ],
  [
    'T15: images in a result follow it, since it may hold text only',
    [
      user(
        result('1', { type: 'text', text: 'see' }, image, { type: 'text', text: 'there' }),
        result('2', image),
        text('and?'),
      ),
    ],
    [
      { role: 'tool', tool_call_id: '1', content: 'see\nthere' },
      { role: 'tool', tool_call_id: '2', content: '' },
      { role: 'user', content: [imagePart, imagePart, text('and?')] },
    ],
  ],
  [
    'T15: documents in a result follow it always',
    [
      user(
        result('1', {
          type: 'document',
          source: { type: 'data', mediaType: 'application/pdf', data: 'AAA=' },
        }),
      ),
    ],
    [
      { role: 'tool', tool_call_id: '1', content: '' },
      { role: 'user', content: [file('document.pdf')] },
    ],
  ],
  [
    'documents are files with a name, or text below their title',
    [
      user(
        pdf,
        { ...pdf, title: 'a.pdf' },
        { type: 'document', source: { type: 'text', text: 'body' }, title: 'Title' },
        { type: 'document', source: { type: 'text', text: 'bare' } },
      ),
    ],
    [
      {
        role: 'user',
        content: [file('document.pdf'), file('a.pdf'), text('Title\n\nbody'), text('bare')],
      },
    ],
  ],
  [
    'sound has its format',
    [
      user(
        { type: 'audio', source: { type: 'data', mediaType: 'audio/mpeg', data: 'A' } },
        { type: 'audio', source: { type: 'data', mediaType: 'audio/x-wav', data: 'B' } },
      ),
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: { data: 'A', format: 'mp3' } },
          { type: 'input_audio', input_audio: { data: 'B', format: 'wav' } },
        ],
      },
    ],
  ],
  [
    'a refusal has a field of its own, or is a part among texts',
    [
      assistant(text('a'), { type: 'refusal', text: 'No.' }),
      user(text('?')),
      assistant({ type: 'refusal', text: 'No.' }, text('but')),
    ],
    [
      { role: 'assistant', content: 'a', refusal: 'No.' },
      { role: 'user', content: '?' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }, text('but')] },
    ],
  ],
  [
    'custom calls stay custom',
    [assistant({ ...call('1'), kind: 'custom', name: 'patch', input: 'raw' })],
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'custom', custom: { name: 'patch', input: 'raw' } }],
      },
    ],
  ],
  [
    'reasoning is left out',
    [assistant(thought('R', 'sig'), text('a'))],
    [{ role: 'assistant', content: 'a' }],
  ],
  [
    'T7: reasoning goes back with texts and calls where the upstream wants it',
    [
      assistant(thought('R1', 'sig'), text('a'), thought('R2'), call('1')),
      user(text('?')),
      assistant(thought('R'), text('b')),
    ],
    [
      {
        role: 'assistant',
        content: 'a',
        reasoning_content: 'R1\n\nR2',
        tool_calls: [wireCall('1')],
      },
      { role: 'user', content: '?' },
      { role: 'assistant', content: 'b', reasoning_content: 'R' },
    ],
    'reasoning_content',
  ],
  [
    'T7: a call without reasoning has some there too, and a text has not',
    [assistant(call('1')), user(result('1')), assistant(text('b'))],
    [
      { role: 'assistant', content: null, reasoning_content: ' ', tool_calls: [wireCall('1')] },
      { role: 'tool', tool_call_id: '1', content: '' },
      { role: 'assistant', content: 'b' },
    ],
    'reasoning_content',
  ],
  [
    'T15: images that the model made are shown by the user, never between a call and its result',
    [
      user(text('?')),
      assistant(text('here'), image),
      user(text('!')),
      assistant(image, call('1')),
      user(result('1')),
    ],
    [
      { role: 'user', content: '?' },
      { role: 'assistant', content: 'here' },
      { role: 'user', content: [imagePart] },
      { role: 'user', content: '!' },
      { role: 'user', content: [imagePart] },
      { role: 'assistant', content: null, tool_calls: [wireCall('1')] },
      { role: 'tool', tool_call_id: '1', content: '' },
    ],
  ],
  [
    'marks for the cache are left out',
    [user({ type: 'text', text: 'a', cache: '1h' })],
    [{ role: 'user', content: 'a' }],
  ],
  [
    'marks for the cache go where they are known',
    [
      { role: 'system', parts: [{ type: 'text', text: 's', cache: '1h' }] },
      user({ ...result('1', { type: 'text', text: 'x' }), cache: '5m' }, { ...image, cache: '5m' }),
    ],
    [
      {
        role: 'system',
        content: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
      {
        role: 'tool',
        tool_call_id: '1',
        content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
      },
      { role: 'user', content: [{ ...imagePart, cache_control: { type: 'ephemeral' } }] },
    ],
    'cache_control',
  ],
]

describe('the messages of a chat request', () => {
  for (const [name, turns, messages, ...quirks] of cases) {
    test(name, () => {
      expect(JSON.parse(JSON.stringify(messagesOf({ turns }, ...quirks)))).toEqual(messages)
    })
  }
})
