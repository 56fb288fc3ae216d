import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { KeptResponse } from '../../src/store/ports/answers.ts'
import { eachEngineAndLink, type TestStore } from './each-engine.ts'
import { accountWrite, now, tokenWrite } from './support.ts'

const limits = { maxBytes: 100_000, keptMs: 60_000 }

eachEngineAndLink((open, engine) => {
  let file: TestStore
  /** PostgreSQL goes by its own clock: there, rows are made older. */
  let time = now

  beforeEach(async () => {
    time = now
    file = await open(() => time)
    await file.store.admin.write({
      accounts: [accountWrite({ email: 'bob@example.com' })],
      tokens: [tokenWrite({ account: 'bob@example.com', keyHash: 'hash-2' })],
    })
  })
  afterEach(() => file[Symbol.asyncDispose]())

  const responses = () => file.store.responses
  const kept = (id: string, accountId = 1, bytes = 10): KeptResponse => ({
    ...{ id, accountId, input: new Uint8Array(bytes).fill(1), response: Uint8Array.of(0, 2, 255) },
  })
  const put = (one: KeptResponse, more: Partial<typeof limits> = {}) =>
    responses().put(one, { ...limits, ...more })
  const left = async () =>
    (await file.rows<{ id: string }>('SELECT id FROM response ORDER BY id')).map(({ id }) => id)
  const grow = async (byMs: number) => {
    time += byMs
    if (engine === 'SQLite') return
    await file.change(`UPDATE response SET created_at = created_at - ${byMs}`)
  }
  /** What the accounts are said to have; throws when that is not what they have. */
  async function shares(): Promise<readonly unknown[]> {
    const summed = await file.rows(`SELECT account_id, sum(size_bytes) AS size FROM response
      GROUP BY account_id ORDER BY account_id`)
    const told = await file.rows(
      'SELECT account_id, size_bytes AS size FROM response_share ORDER BY account_id',
    )
    expect(JSON.stringify(told)).toBe(JSON.stringify(summed))
    return told
  }

  test('what an account has got is found by it alone, byte for byte', async () => {
    expect(await put(kept('resp_1'))).toBe(true)
    const { input, ...rest } = kept('resp_1')
    const found = await responses().find(1, 'resp_1', limits)
    expect(found && { ...found, input: new Uint8Array(found.input) }).toMatchObject({
      ...{ id: 'resp_1', accountId: 1, input },
    })
    expect([...(found?.response ?? [])]).toEqual([...rest.response])
    expect(await responses().find(2, 'resp_1', limits)).toBeUndefined()
    expect(await responses().findResponses(1, ['resp_1', 'nobody'], limits)).toHaveLength(1)
    expect(await responses().findResponses(2, ['resp_1'], limits)).toEqual([])
    expect(await responses().remove(2, 'resp_1')).toBe(false)
    expect(await responses().remove(1, 'resp_1')).toBe(true)
    expect(await responses().remove(1, 'resp_1')).toBe(false)
    expect(await shares()).toEqual([])
  })

  test('what is too old is not found, and is removed', async () => {
    await put(kept('resp_old'))
    await grow(limits.keptMs)
    await put(kept('resp_new'))
    expect(await responses().find(1, 'resp_old', limits)).toBeUndefined()
    expect(await responses().findResponses(1, ['resp_old', 'resp_new'], limits)).toHaveLength(1)
    expect(await responses().sweep(limits)).toBe(1)
    expect(await left()).toEqual(['resp_new'])
    await shares()
    expect(await responses().sweep({ ...limits, keptMs: 0 })).toBe(1)
    expect(await shares()).toEqual([])
  })

  test('who keeps much pushes out its own, and nobody who has less', async () => {
    await put(kept('bob_1', 2, 20_000))
    for (let index = 0; index < 30; index++) {
      expect(await put(kept(`ann_${index}`, 1, 20_000))).toBe(true)
      await grow(1)
    }
    expect(await left()).toEqual(['ann_27', 'ann_28', 'ann_29', 'bob_1'])
    // Half is what each of two may have.
    for (let index = 2; index < 5; index++) await put(kept(`bob_${index}`, 2, 20_000))
    expect((await left()).filter((id) => id.startsWith('ann'))).toEqual(['ann_28', 'ann_29'])
    await shares()
  })

  test('who comes with more than anybody has pushes nobody out, either', async () => {
    for (let index = 0; index < 4; index++) {
      await file.store.admin.write({
        accounts: [accountWrite({ email: `${index}@example.com` })],
        tokens: [tokenWrite({ account: `${index}@example.com`, keyHash: `hash-1${index}` })],
      })
      await put(kept(`small_${index}`, 3 + index, 20_000))
    }
    expect(await put(kept('ann_1', 1, 60_000))).toBe(false)
    expect(await left()).toHaveLength(4)
  })

  test('what is larger than all that may be kept pushes nobody out', async () => {
    await put(kept('bob_1', 2, 20_000))
    expect(await put(kept('ann_1', 1, 200_000))).toBe(false)
    expect(await left()).toEqual(['bob_1'])
  })

  test('a limit that was lowered is kept to by the sweep', async () => {
    for (let index = 0; index < 4; index++) await put(kept(`ann_${index}`, 1, 20_000))
    expect(await responses().sweep({ ...limits, maxBytes: 50_000 })).toBe(2)
    await shares()
  })

  test('they go with their account, and none comes after', async () => {
    await put(kept('ann_1', 1))
    await put(kept('bob_1', 2))
    await file.store.admin.write({ remove: { accounts: ['bob@example.com'] } })
    expect(await left()).toEqual(['ann_1'])
    expect(await put(kept('bob_2', 2))).toBe(false)
    await shares()
  })
})
