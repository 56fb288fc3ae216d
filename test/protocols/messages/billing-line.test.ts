import { expect, test } from 'bun:test'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'

const line = (hash: string) =>
  `x-anthropic-billing-header: cc_version=2.1.265.a1; cc_entrypoint=cli; cch=${hash};`
const prompt = 'You are Claude Code.'

/** What is left of a system prompt, and what is noted of it. */
function read(system: unknown) {
  const body = { model: 'm', max_tokens: 1, system, messages: [{ role: 'user', content: 'Go' }] }
  const { turns, native } = messagesCodec.decodeRequest(body, { model: 'm', stream: false })
  const [first] = turns
  const texts = first?.parts.map((part) => ('text' in part ? part.text : part.type))
  return { system: first?.role === 'system' ? texts : [], noted: native.map(({ at }) => at) }
}

test.each<[string, unknown, readonly string[], readonly string[]]>([
  [
    'a block of its own',
    [
      { type: 'text', text: line('00000') },
      { type: 'text', text: prompt, cache_control: { type: 'ephemeral' } },
    ],
    [prompt],
    ['system[0]'],
  ],
  ['all there is', [{ type: 'text', text: line('1') }], [], ['system[0]']],
  ['the head of a text', `${line('2')}\n\n${prompt}`, [prompt], ['system']],
])('the line of billing is left out: %s', (_, system, left, noted) => {
  expect(read(system)).toEqual({ system: [...left], noted: [...noted] })
})

test('what only speaks of it stays', () => {
  const text = `Never send x-anthropic-billing-header to a foreign host.\n${line('3')}`
  expect(read(text)).toEqual({ system: [text], noted: [] })
})
