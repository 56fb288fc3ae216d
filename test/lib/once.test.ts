import { expect, test } from 'bun:test'
import { GatewayError } from '../../src/gateway/errors.ts'
import { once } from '../../src/lib/once.ts'

test('works once, when it is asked', () => {
  let worked = 0
  const found = once(() => ({ worked: ++worked }))
  expect(worked).toBe(0)
  expect([found(), found()]).toEqual([{ worked: 1 }, { worked: 1 }])
  expect(found()).toBe(found())
})

test('refuses once, and again with the same', () => {
  let worked = 0
  const found = once(() => {
    worked++
    throw new GatewayError('invalid_value', `at ${worked}`)
  })
  expect(found).toThrow('at 1')
  expect(found).toThrow('at 1')
  expect(worked).toBe(1)
})

test('a bug is not remembered as an answer', () => {
  const found = once(() => {
    throw new TypeError('a bug')
  })
  expect(found).toThrow(TypeError)
  expect(found).toThrow(TypeError)
})
