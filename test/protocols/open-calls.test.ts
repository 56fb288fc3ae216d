import { expect, test } from 'bun:test'
import { createOpenCalls } from '../../src/protocols/canonical/open-calls.ts'
import type { ToolCallPart } from '../../src/protocols/canonical/request.ts'
import { startCpuTime } from '../support/cpu-time.ts'

const call = (callId: string, name = 'f'): ToolCallPart => ({
  ...{ type: 'tool-call', callId, name, kind: 'function', input: '{}' },
})

test('a result that names its call answers that one, and no other after it', () => {
  const open = createOpenCalls()
  for (const id of ['a', 'b', 'c']) open.add(call(id))
  expect(open.take('b')?.callId).toBe('b')
  expect(open.take('b')).toBeUndefined()
  expect(open.takeNext('')?.callId).toBe('a')
  expect(open.takeNext('f')?.callId).toBe('c')
  expect([open.takeNext('f'), open.takeNext(''), open.take('c')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('one that names a tool only answers the first open call of it', () => {
  const open = createOpenCalls()
  for (const [id, name] of [
    ['a', 'f'],
    ['b', 'g'],
    ['c', 'f'],
  ] as const)
    open.add(call(id, name))
  expect(open.takeNext('g')?.callId).toBe('b')
  expect(open.takeNext('g')).toBeUndefined()
  open.add(call('d', 'g'))
  expect(open.takeNext('g')?.callId).toBe('d')
  expect(open.takeNext('f')?.callId).toBe('a')
  open.add(call('e', 'f'))
  expect([open.takeNext('f')?.callId, open.takeNext('f')?.callId]).toEqual(['c', 'e'])
  expect(open.takeNext('h')).toBeUndefined()
})

test('an id that is used again in a later turn is its newest call', () => {
  const open = createOpenCalls()
  open.add(call('call_0', 'f'))
  expect(open.take('call_0')?.name).toBe('f')
  open.add(call('call_0', 'g'))
  expect(open.takeNext('f')).toBeUndefined()
  expect(open.take('call_0')?.name).toBe('g')
})

test('very many calls take time in proportion', () => {
  const count = 100_000
  const ways = [
    (open: ReturnType<typeof createOpenCalls>, at: number) => open.take(`${count - 1 - at}`),
    (open: ReturnType<typeof createOpenCalls>) => open.takeNext(''),
    (open: ReturnType<typeof createOpenCalls>, at: number) => open.takeNext(`f${count - 1 - at}`),
  ]
  for (const take of ways) {
    const open = createOpenCalls()
    for (let at = 0; at < count; at++) open.add(call(`${at}`, `f${at}`))
    const cpuMs = startCpuTime()
    let taken = 0
    for (let at = 0; at < count; at++) if (take(open, at) !== undefined) taken++
    expect(taken).toBe(count)
    expect(cpuMs()).toBeLessThan(2000)
  }
})
