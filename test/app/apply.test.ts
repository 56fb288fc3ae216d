import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { applyConfig } from '../../src/app/apply.ts'
import type { Instance } from '../../src/app/instance.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import { WriteRefused, type Writes } from '../../src/store/ports/admin.ts'
import { openStore } from '../support/empty-store.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { configOf } from './serving.ts'

const configWith = (key: string) =>
  configOf(
    tollgateYaml({
      store: ':memory:',
      upstream: 'https://e.example',
      token: { name: 'laptop', key },
    }),
  )
const before = configWith('sk-0123456789abcdefghij')
const after = configWith('sk-abcdefghij0123456789')
const usual = { prune: false }

describe('a configuration that another node applies at the same time', () => {
  let instance: Pick<Instance, 'store' | 'secrets'>
  beforeEach(async () => {
    const secrets = createSecretBox('a secret of this test')
    instance = { store: await openStore(systemClock), secrets }
    await applyConfig(instance, before, usual)
  })
  afterEach(() => instance.store.close())

  /** What one sees whose writing is overtaken by `first`. */
  function overtakenBy(first: () => Promise<unknown>): typeof instance {
    const { admin } = instance.store
    const write = async (writes: Writes) => {
      await first()
      await admin.write(writes)
    }
    return { ...instance, store: { ...instance.store, admin: { ...admin, write } } }
  }

  test('is in force, once', async () => {
    let times = 0
    const overtaken = overtakenBy(async () => {
      if (times++ === 0) await applyConfig(instance, after, usual)
    })
    expect((await applyConfig(overtaken, after, usual)).changes).toEqual([])
    const tokens = await instance.store.admin.tokens({})
    expect(tokens.map(({ name, status }) => [name, status])).toEqual([['laptop', 'active']])
    expect((await applyConfig(instance, after, usual)).changes).toEqual([])
  })

  test('what can not be done is refused as ever', async () => {
    let times = 0
    const refused = overtakenBy(async () => {
      times++
      throw new WriteRefused('not possible')
    })
    expect(await applyConfig(refused, after, usual).catch(String)).toContain('not possible')
    expect(times).toBe(2)
  })
})
