import { expect, test } from 'bun:test'
import type { SignedIn } from '../../src/admin/access.ts'
import { createPlaces, download } from '../../src/admin/download.ts'
import { createLedgerService } from '../../src/admin/ledger/routes.ts'
import { createLogger } from '../../src/lib/log.ts'
import { ListsBusy } from '../../src/store/ports/lists.ts'
import type { LedgerEntry } from '../../src/store/ports/records.ts'

const who: SignedIn = {
  accountId: 1,
  email: 'user@example.com',
  role: 'user',
  isVouched: true,
  sessionId: 'one',
  signedInAt: 0,
}
const entry: LedgerEntry = {
  ...{ id: 1, createdAt: 0, account: who.email, kind: 'opening', amountNano: 1 },
  ...{ requestId: null, reason: null, balanceAfterNano: 1 },
}

/** Exports of ledgers whose entries are read by `read`. */
function exportsOf(read: () => AsyncGenerator<LedgerEntry>) {
  const logged: string[] = []
  const ledger = createLedgerService(
    { ledger: () => Promise.reject(new Error('not asked')), exportLedger: read },
    createLogger({
      ...{ sink: (line) => logged.push(line), pretty: false, level: 'error', clock: () => 0 },
    }),
  )
  const open = (signal = new AbortController().signal) =>
    ledger.export(who, { format: 'jsonl' }, signal)
  return { open, logged }
}

test('places are counted for each and for all; one that is given back twice is one', () => {
  const places = createPlaces('exports', 2, 1)
  const [first, second, admin] = [who, { ...who, accountId: 2 }, { ...who, role: 'admin' as const }]
  const giveBack = places.take(first)
  expect(() => places.take(first)).toThrow('You have 1 exports open already')
  places.take(second)
  expect(() => places.take({ ...who, accountId: 3 })).toThrow('2 exports are open already')
  giveBack()
  giveBack()
  places.take(first)
  expect(() => places.take({ ...who, accountId: 3 })).toThrow('2 exports are open already')
  places.take({ ...admin, accountId: 4 })
})

test('a file whose beginning can not be read now is refused by a status, not broken off', async () => {
  const { open } = exportsOf(async function* () {
    yield await Promise.reject(new ListsBusy('too many lists'))
  })
  await expect(open()).rejects.toMatchObject({ reason: 'unavailable' })
})

test('a file that breaks off does not end cleanly, and the log says why', async () => {
  const { open, logged } = exportsOf(async function* () {
    for (let id = 0; id < 10_000; id++) yield entry
    throw new Error('the disk is gone')
  })
  const response = await open()
  await expect(response.text()).rejects.toThrow('the disk is gone')
  expect(logged.join()).toContain('the disk is gone')
})

test('so many files at once are enough for an account; whoever leaves makes room', async () => {
  const { open } = exportsOf(async function* () {
    for (;;) yield entry
  })
  const leaving = new AbortController()
  await open(leaving.signal)
  for (let taken = 1; taken < 4; taken++) await open()
  await expect(open()).rejects.toMatchObject({ reason: 'unavailable' })
  leaving.abort()
  expect((await open()).status).toBe(200)
})

test('what is there of a file goes ahead when the rest is long in coming', async () => {
  const rest = Promise.withResolvers<void>()
  const { open } = exportsOf(async function* () {
    for (let id = 0; id < 3; id++) yield entry
    await rest.promise
    yield entry
  })
  const reader = (await open()).body?.getReader()
  const lines = async () =>
    new TextDecoder().decode((await reader?.read())?.value).split('\n').length
  expect(await lines()).toBe(4)
  rest.resolve()
  expect(await lines()).toBe(2)
  expect(await reader?.read()).toMatchObject({ done: true })
})

/** A file whose only line comes, or fails, as `line` does; its answer waits for that for a moment. */
async function openLate(line: Promise<string>) {
  const logged: string[] = []
  let ended = 0
  const log = createLogger({
    ...{ sink: (text) => logged.push(text), pretty: false, level: 'error', clock: () => 0 },
  })
  async function* lines() {
    yield await line
  }
  const response = await download(
    lines(),
    { name: 'late.jsonl', type: 'application/x-ndjson' },
    { signal: new AbortController().signal, log, onEnd: () => ended++, patienceMs: 20 },
  )
  return { response, logged, ended: () => ended }
}

test('a beginning that is long in coming is not waited for, and nothing of it is lost', async () => {
  const line = Promise.withResolvers<string>()
  const { response, ended } = await openLate(line.promise)
  expect([response.status, ended()]).toEqual([200, 0])
  line.resolve('found\n')
  expect(await response.text()).toBe('found\n')
  expect(ended()).toBeGreaterThan(0)
})

test('where it fails after that, the file breaks off', async () => {
  const line = Promise.withResolvers<string>()
  const { response, logged, ended } = await openLate(line.promise)
  line.reject(new ListsBusy('too many lists'))
  await expect(response.text()).rejects.toThrow('too many lists')
  expect(logged.join()).toContain('too many lists')
  expect(ended()).toBeGreaterThan(0)
})

test('whoever leaves before it has come makes room at once', async () => {
  const line = Promise.withResolvers<string>()
  const { response, logged, ended } = await openLate(line.promise)
  const left = response.body?.cancel()
  expect(ended()).toBeGreaterThan(0)
  line.reject(new Error('nobody asks any more'))
  await left
  expect(logged).toEqual([])
})
