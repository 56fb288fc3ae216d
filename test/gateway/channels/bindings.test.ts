import { describe, expect, test } from 'bun:test'
import { createBindings } from '../../../src/gateway/channels/bindings.ts'
import { createTime } from './choosing-scene.ts'

describe('a binding', () => {
  test('is the last one made', () => {
    const bindings = createBindings(createTime().tick)
    expect(bindings.find(1, 'talk')).toBeUndefined()
    bindings.bind(1, 'talk', 7, 'key-a')
    expect(bindings.find(1, 'talk')).toEqual({ channelId: 7, key: 'key-a' })
    bindings.bind(1, 'talk', 7, 'key-b')
    expect(bindings.find(1, 'talk')).toEqual({ channelId: 7, key: 'key-b' })
    bindings.bind(1, 'talk', 8, 'key-b')
    expect(bindings.find(1, 'talk')).toEqual({ channelId: 8, key: 'key-b' })
  })

  test('is its token’s own', () => {
    const bindings = createBindings(createTime().tick)
    bindings.bind(1, '2 talk', 7, 'key')
    bindings.bind(1, 'talk', 7, 'key')
    expect(bindings.find(2, 'talk')).toBeUndefined()
    expect(bindings.find(12, 'talk')).toBeUndefined()
    expect(bindings.find(1, 'other')).toBeUndefined()
  })

  test('lasts an hour from its last use', () => {
    const { tick, pass } = createTime()
    const bindings = createBindings(tick)
    bindings.bind(1, 'used', 7, 'key')
    bindings.bind(1, 'unused', 7, 'key')
    for (let i = 0; i < 5; i++) {
      pass(3_000_000)
      expect(bindings.find(1, 'used')?.channelId).toBe(7)
    }
    expect(bindings.find(1, 'unused')).toBeUndefined()
    bindings.bind(1, 'bound again', 7, 'key')
    for (let i = 0; i < 5; i++) {
      pass(3_000_000)
      bindings.bind(1, 'bound again', 7, 'key')
    }
    expect(bindings.find(1, 'bound again')?.channelId).toBe(7)
    pass(3_600_001)
    expect(bindings.find(1, 'used')).toBeUndefined()
  })

  test('is ended for one channel only', () => {
    const bindings = createBindings(createTime().tick)
    bindings.bind(1, 'talk', 7, 'key')
    bindings.unbind(1, 'talk', 8)
    bindings.unbind(2, 'talk', 7)
    expect(bindings.find(1, 'talk')?.channelId).toBe(7)
    bindings.unbind(1, 'talk', 7)
    expect(bindings.find(1, 'talk')).toBeUndefined()
  })

  test('goes when there are too many, the longest unused first', () => {
    const bindings = createBindings(createTime().tick)
    bindings.bind(1, 'kept', 7, 'key')
    bindings.bind(1, 'lost', 7, 'key')
    for (let i = 0; i < 49_999; i++) {
      bindings.bind(2, `talk-${i}`, 7, 'key')
      if (i % 1_000 === 0) bindings.find(1, 'kept')
    }
    expect(bindings.find(1, 'lost')).toBeUndefined()
    expect(bindings.find(1, 'kept')).toBeDefined()
  })
})
