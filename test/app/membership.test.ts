import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { joinNodes, type Membership } from '../../src/app/membership.ts'
import { createLogger } from '../../src/lib/log.ts'
import { silentNodeMs } from '../../src/store/ports/nodes.ts'
import { type AnyStore, eachEngine, type TestStore } from '../store/each-engine.ts'
import { reservation } from '../store/sqlite/file-store.ts'
import { now } from '../store/support.ts'

eachEngine((open, engine) => {
  let file: TestStore
  let said: string
  let member: Membership

  const log = createLogger({
    sink(line) {
      said += line
    },
    pretty: false,
    clock: () => now,
    level: 'info',
  })
  const join = ({ nodes }: AnyStore, name: string) =>
    joinNodes({ nodes, name, log, load: () => ({ requests: 3 }) })
  const names = async () => (await file.store.nodes.list()).map(({ name }) => name)
  const silence = (name: string, ms: number) =>
    file.change(`UPDATE node SET seen_at = seen_at - ${ms} WHERE name = '${name}'`)

  beforeEach(async () => {
    said = ''
    file = await open()
    member = await join(file.store, 'mine')
  })
  afterEach(async () => {
    await member.leave()
    await file[Symbol.asyncDispose]()
  })

  test('a node is in the list with its load until it leaves', async () => {
    await member.beat()
    expect(await file.store.nodes.list()).toMatchObject([
      { name: 'mine', isAlive: true, load: { requests: 3 } },
    ])
    await member.leave()
    expect(await names()).toEqual([])
  })

  test('a node that is in the list no more enters again', async () => {
    await file.change('DELETE FROM node')
    await member.beat()
    expect(await names()).toEqual(['mine'])
    expect(said).toContain('it has entered again')
  })

  test('nodes that are long dead are forgotten, others are not', async () => {
    for (const name of ['dead', 'long dead']) {
      await file.store.nodes.register({ name, version: '1' })
    }
    await silence('dead', silentNodeMs + 1)
    await silence('long dead', 3_600_001)
    await member.beat()
    expect(await names()).toEqual(['mine', 'dead'])
  })

  describe.if(engine === 'PostgreSQL')('of a cluster', () => {
    test('closes what a dead node left open, and nothing of a living one', async () => {
      const dead = await file.openBeside()
      const living = await file.openBeside()
      await dead.nodes.register({ name: 'dead', version: '1' })
      await living.nodes.register({ name: 'living', version: '1' })
      await dead.records.commit({ reserve: [reservation({ requestId: 'a' })] })
      await living.records.commit({ reserve: [reservation({ requestId: 'b' })] })
      await silence('dead', silentNodeMs + 1)
      await member.beat()
      expect(await file.reserved()).toEqual({ b: 100 })
      expect(said).toContain('"interrupted":1')
      await Promise.all([dead.close(), living.close()])
    })
  })
})
