import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createBindings, createSharedBindings } from '../../../src/gateway/channels/bindings.ts'
import type { Counters } from '../../../src/store/ports/counters.ts'
import { openValkeyCounters } from '../../../src/store/valkey/counters.ts'
import { describeWithValkey, freshPrefix, startValkey, type Valkey } from '../../support/valkey.ts'
import { createLines, markOf } from './choosing-scene.ts'

let valkey: Valkey
const opened: Counters[] = []

async function startNode(prefix: string, keys: readonly string[]) {
  const counters = await openValkeyCounters({ url: valkey.url, prefix, log: createLines().log })
  opened.push(counters)
  const bindings = createSharedBindings({
    texts: counters,
    local: createBindings(() => performance.now()),
    keyMark: markOf,
    keysOf: () => keys,
  })
  /** Where this node would send it. */
  const homeOf = async (tokenId: number, conversation: string) => {
    await bindings.refresh(tokenId, conversation)
    return bindings.find(tokenId, conversation)
  }
  /** What it had to tell has arrived. */
  const told = () => counters.get('nothing')
  return { bindings, homeOf, told }
}

describeWithValkey('where conversations are at home, on all nodes', () => {
  beforeAll(async () => {
    valkey = await startValkey()
  })
  afterAll(async () => {
    await Promise.all(opened.map((counters) => counters.close()))
    await valkey.stop()
  })

  test('is found on every node, with the key, and keyed by token', async () => {
    const prefix = freshPrefix()
    const [here, there] = [
      await startNode(prefix, ['key-a', 'key-b']),
      await startNode(prefix, ['key-a', 'key-b']),
    ]
    here.bindings.bind(1, 'talk', 7, 'key-b')
    await here.told()
    expect(await there.homeOf(1, 'talk')).toEqual({ channelId: 7, key: 'key-b' })
    expect(await there.homeOf(2, 'talk')).toBeUndefined()
    there.bindings.bind(1, 'talk', 8, 'key-a')
    await there.told()
    expect(await here.homeOf(1, 'talk')).toEqual({ channelId: 8, key: 'key-a' })
    here.bindings.unbind(1, 'talk', 7) // it is not there any more
    await here.told()
    expect(await there.homeOf(1, 'talk')).toEqual({ channelId: 8, key: 'key-a' })
    here.bindings.unbind(1, 'talk', 8)
    await here.told()
    expect(await there.homeOf(1, 'talk')).toBeUndefined()
  })

  test('no key of a channel is told, and a key that is gone leaves the channel', async () => {
    const prefix = freshPrefix()
    const here = await startNode(prefix, ['secret-key'])
    const there = await startNode(prefix, ['another'])
    here.bindings.bind(1, 'talk', 7, 'secret-key')
    await here.told()
    expect(String(await valkey.ask('GET', `${prefix}:text:home:1:talk`))).toBe(
      `7 ${markOf('secret-key')}`,
    )
    expect(await there.homeOf(1, 'talk')).toEqual({ channelId: 7, key: '' })
  })

  test('is what this node knows while the server is away', async () => {
    const own = await startValkey()
    const counters = await openValkeyCounters({ url: own.url, log: createLines().log })
    const bindings = createSharedBindings({
      texts: counters,
      local: createBindings(() => performance.now()),
      keyMark: markOf,
      keysOf: () => ['key'],
    })
    bindings.bind(1, 'talk', 7, 'key')
    await own.stop()
    await bindings.refresh(1, 'talk')
    bindings.bind(1, 'other', 8, 'key')
    expect(bindings.find(1, 'talk')).toEqual({ channelId: 7, key: 'key' })
    expect(bindings.refresh(1, 'other')).toBeUndefined()
    expect(bindings.find(1, 'other')).toEqual({ channelId: 8, key: 'key' })
    await counters.close()
  })
})
