import { describe, expect, test } from 'bun:test'
import { type BlockEvent, createBlockOrder } from '../../src/protocols/canonical/block-order.ts'

const start = (id: string): BlockEvent => ({
  type: 'tool-call-start',
  id,
  choice: 0,
  callId: id,
  name: 'look',
  kind: 'function',
})
const piece = (id: string, text: string): BlockEvent => ({ type: 'tool-call-delta', id, text })
const end = (id: string): BlockEvent => ({ type: 'tool-call-end', id })

/** What is written at each event, and at the end. */
function written(events: readonly BlockEvent[]): readonly string[] {
  const order = createBlockOrder((event) => {
    if (event.type === 'tool-call-delta') return event.text
    return event.type === 'tool-call-start' ? `<${event.id}` : '>'
  })
  return [...events.map((event) => order.push(event)), order.end()]
}

describe('T12: calls that overlap', () => {
  test('come whole and one by one, the first as it comes', () => {
    const events = [
      ...[start('a'), piece('a', '1'), start('b'), piece('b', '2'), piece('a', '3')],
      ...[start('c'), piece('c', '4'), end('c'), end('a'), piece('b', '5'), end('b')],
    ]
    expect(written(events)).toEqual(['<a', '1', '', '', '3', '', '', '', '><b2', '5', '><c4>', ''])
  })

  test('that nobody ended are ended with the answer, in their order', () => {
    const events = [start('a'), start('b'), piece('b', '1'), start('c'), end('c')]
    expect(written(events).at(-1)).toBe('><b1><c>')
  })

  test('leave nothing behind: pieces of calls that ended, or that nobody began, are nothing', () => {
    const events = [piece('x', '0'), start('a'), end('a'), piece('a', '1'), end('a'), start('b')]
    expect(written(events)).toEqual(['', '<a', '>', '', '', '<b', '>'])
  })
})
