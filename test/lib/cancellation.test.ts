import { describe, expect, test } from 'bun:test'
import { Cancellation } from '../../src/lib/cancellation.ts'

describe('Cancellation', () => {
  test('calls each listener once, functions and objects, with the first reason', () => {
    const ending = new Cancellation()
    const calls: string[] = []
    ending.addEventListener('abort', () => calls.push('function'))
    ending.addEventListener('abort', { handleEvent: () => calls.push('object') })
    ending.abort('first')
    ending.abort('second')
    expect(calls).toEqual(['function', 'object'])
    expect(ending.reason).toBe('first')
    expect(() => ending.throwIfAborted()).toThrow('first')
  })

  test('does not call who has gone, or who came too late', () => {
    const ending = new Cancellation()
    let calls = 0
    const listener = () => {
      calls++
    }
    ending.addEventListener('abort', listener)
    ending.removeEventListener('abort', listener)
    ending.abort()
    ending.addEventListener('abort', listener)
    expect(calls).toBe(0)
  })

  test('its signal is aborted with it, whether it was asked for before or after', () => {
    const [before, after] = [new Cancellation(), new Cancellation()]
    const { signal } = before
    before.abort()
    after.abort('why')
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({ name: 'AbortError' })
    expect(after.signal.reason).toBe('why')
  })
})
