import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createOrigins } from '../../src/gateway/admit/origins.ts'
import {
  type BackgroundAnswer,
  type KeptAnswer,
  keptAnswerMs,
} from '../../src/store/ports/answers.ts'
import { eachEngineAndLink, type TestStore } from './each-engine.ts'
import { reservation } from './sqlite/file-store.ts'
import { accountWrite, groupWrite, now, settlement, tokenWrite } from './support.ts'

eachEngineAndLink((open, engine) => {
  let file: TestStore

  beforeEach(async () => {
    file = await open()
    await file.store.admin.write({
      accounts: [accountWrite({ email: 'bob@example.com' })],
      tokens: [tokenWrite({ account: 'bob@example.com', keyHash: 'hash-2' })],
    })
  })
  afterEach(() => file[Symbol.asyncDispose]())

  const answers = () => file.store.answers
  const commit = (batch: Parameters<typeof file.store.records.commit>[0]) =>
    file.store.records.commit(batch)
  const kept = (id: string, changes: Partial<KeptAnswer> = {}): KeptAnswer => ({
    ...{ id, accountId: 1, channelId: 1, keyMark: 'mark', contextTokens: 30, createdAt: now },
    ...changes,
  })
  const begun = (changes: Partial<BackgroundAnswer> = {}): BackgroundAnswer => ({
    ...{ requestId: 'a_fetched', askedId: 'a', answerId: 'resp_a', createdAt: now, accountId: 1 },
    ...{ tokenId: 1, channelId: 1, keyMark: 'mark', charge: '{"calls":1}' },
    ...changes,
  })
  const asked = (amountNano = 0, requestId = 'a') => settlement({ requestId, amountNano })
  /** A request whose answer goes on in the background, with 400 nano-USD set aside. */
  async function begin(): Promise<void> {
    await commit({ reserve: [reservation({ requestId: 'a', amountNano: 400 })] })
    await commit({ settle: [{ ...asked(), begun: begun(), kept: [kept('resp_a')] }] })
  }
  const charge = { ...asked(100, 'a_fetched'), endsBackground: true }
  const due = () => answers().putOff('a_fetched', -10_000)

  test('what an account has got is its own, whoever asks', async () => {
    const rows = [kept('resp_1'), kept('msg_1', { contextTokens: 5 })]
    await commit({ settle: [{ ...asked(), kept: rows }] })
    const own = { id: 'resp_1', channelId: 1, keyMark: 'mark', contextTokens: 30, isPending: false }
    expect(await answers().find(1, ['resp_1', 'nobody'])).toEqual([{ ...own, isOwn: true }])
    expect(await answers().find(2, ['resp_1'])).toEqual([{ ...own, isOwn: false }])
    expect(await answers().find(1, [])).toEqual([])
  })

  test('a long conversation that refers to each of its parts by id is known after a restart', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => kept(`msg_${index}`))
    await commit({ settle: [{ ...asked(), kept: rows }] })
    const keyMark = (key: string) => key
    const origins = createOrigins(answers(), keyMark, () => ['mark'])
    await origins.look(
      1,
      rows.map(({ id }) => id),
    )
    const unknown = rows.filter(({ id }) => origins.of(1, id) === undefined)
    expect(unknown).toEqual([])
  })

  test('an id that two accounts have got is each one’s own; what is newer counts', async () => {
    const both = [kept('same'), kept('same', { accountId: 2, contextTokens: 7 })]
    await commit({ settle: [{ ...asked(), kept: [...both, kept('same', { contextTokens: 31 })] }] })
    await commit({ settle: [{ ...asked(0, 'b'), kept: [kept('same', { contextTokens: 32 })] }] })
    for (const [accountId, contextTokens] of [
      [1, 32],
      [2, 7],
    ] as const) {
      expect(await answers().find(accountId, ['same'])).toMatchObject([
        { isOwn: true, contextTokens },
      ])
    }
  })

  test('what vendors have deleted by now is forgotten, some at a time', async () => {
    const old = kept('old', { createdAt: now - 2 * keptAnswerMs })
    await commit({ settle: [{ ...asked(), kept: [old, kept('new')] }] })
    expect(await answers().sweep()).toBe(1)
    expect(await answers().find(1, ['old', 'new'])).toMatchObject([{ id: 'new' }])
  })

  test('a channel is shared when tokens of two accounts may use it', async () => {
    expect(await answers().areShared([1])).toBe(true)
    expect(await answers().areShared([99])).toBe(false)
    expect(await answers().areShared([])).toBe(false)
    await file.store.admin.write({
      groups: [groupWrite({ name: 'of none', channels: [] })],
      tokens: [tokenWrite({ account: 'bob@example.com', keyHash: 'hash-2', group: 'of none' })],
    })
    expect(await answers().areShared([1])).toBe(false)
  })

  test('what is set aside is held for the charge, over a sweep, and free with it', async () => {
    await begin()
    expect(await file.reserved()).toEqual({ a_fetched: 400 })
    expect(await answers().find(1, ['resp_a'])).toMatchObject([{ isPending: true }])
    await file.store.records.sweep()
    expect(await file.reserved()).toEqual({ a_fetched: 400 })
    expect(await answers().allPending()).toEqual([{ ...begun(), amountNano: 400 }])
    expect(await answers().pending(1, 'resp_a')).toEqual(begun())
    expect(await answers().pending(2, 'resp_a')).toBeUndefined()
    // Made twice, as when its answer was lost, it is made once.
    for (const _ of [1, 2]) await commit({ settle: [charge] })
    expect(await file.reserved()).toEqual({})
    expect(await answers().allPending()).toEqual([])
    expect(await answers().find(1, ['resp_a'])).toMatchObject([{ isPending: false }])
    const account = await file.store.admin.account('ann@example.com')
    expect(account?.balanceNano).toBe(1_000_000_000 - 100)
  })

  test('a request that is stored once more, when its answer is charged, begins nothing', async () => {
    await begin()
    await commit({ settle: [charge] })
    await commit({ settle: [{ ...asked(), begun: begun() }] })
    expect(await answers().allPending()).toEqual([])
    expect(await file.reserved()).toEqual({})
  })

  test('one that is due is taken once, until its lease ends or it is put off', async () => {
    await begin()
    if (engine === 'SQLite') expect(await answers().takeDue(10, 60_000)).toEqual([]) // its clock stands
    await due()
    const held = { ...begun(), amountNano: 400 }
    const beside = await file.openBeside()
    const taken = await Promise.all(
      [answers(), beside.answers].map((one) => one.takeDue(10, 60_000)),
    )
    expect(taken.flat()).toEqual([held])
    expect(await answers().takeDue(10, 60_000)).toEqual([])
    await due()
    expect(await beside.answers.takeDue(10, 60_000)).toEqual([held])
    await beside.close()
  })

  test('one that is due in days, for the clock was set back since, is taken all the same', async () => {
    await begin()
    await answers().putOff('a_fetched', 10 * 86_400_000)
    expect(await answers().takeDue(10, 60_000)).toEqual([{ ...begun(), amountNano: 400 }])
    expect(await answers().takeDue(10, 60_000)).toEqual([])
  })
})
