import { expect, test } from 'bun:test'
import { withoutSecondBracket } from '../../src/gateway/relay/heartbeat.ts'

async function joined(pieces: readonly string[], isOpen: boolean): Promise<string> {
  async function* stream() {
    for (const piece of pieces) yield new TextEncoder().encode(piece)
  }
  let text = ''
  for await (const bytes of withoutSecondBracket(stream(), isOpen))
    text += new TextDecoder().decode(bytes)
  return text
}

test.each([
  ['an array as it is', false, ['[{"a":1}', ',\n{"b":[2]}]'], '[{"a":1},\n{"b":[2]}]'],
  [
    'one that a heartbeat has opened',
    true,
    ['\n', ' [{"a":1}', ',{"b":[2]}]'],
    '\n{"a":1},{"b":[2]}]',
  ],
  ['one whose bracket comes alone', true, ['[', '\n', '{"a":1}]'], '\n{"a":1}]'],
  ['one that was opened on the way', false, ['[', '\n', '[{"a":1}]'], '[\n{"a":1}]'],
  ['an empty one', true, ['[]'], ']'],
  ['an error in place of an array', true, ['{"error":[]}'], '{"error":[]}]'],
  ['an error that nothing was before', false, ['{"error":[]}'], '{"error":[]}'],
])('%s', async (_, isOpen, pieces, expected) => {
  expect(await joined(pieces, isOpen)).toBe(expected)
})
