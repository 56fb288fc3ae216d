import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { replay } from '../../../src/app/spool.ts'
import { createLogger } from '../../../src/lib/log.ts'
import type { Settlement } from '../../../src/store/ports/records.ts'
import { StoreError } from '../../../src/store/ports/store-error.ts'
import { countWaiting } from '../../../src/store/spool/files.ts'
import { openSpool } from '../../../src/store/spool/spool.ts'
import { until } from '../../e2e/until.ts'
import { mountTinyDisk, skipped } from '../../support/disk-trouble.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'
import { createFileStore } from '../sqlite/file-store.ts'
import { now, settlement } from '../support.ts'

let place: TempDir
let folder: string
let lines: Record<string, unknown>[]

beforeEach(() => {
  place = createTempDir('tollgate-spool')
  folder = place.join('spool')
  lines = []
})
afterEach(() => place.remove())

const log = createLogger({
  sink: (line) => lines.push(JSON.parse(line)),
  ...{ pretty: false, clock: () => now, level: 'warn' },
})
const open = (origin = '5') => openSpool(folder, origin, log)
const one = (requestId: string, changes: Partial<Settlement['request']> = {}) =>
  settlement({ requestId, amountNano: 10, ...changes })
const idsOf = ({ found }: { found: readonly { settlement: Settlement }[] }) =>
  found.map(({ settlement: { request } }) => request.requestId)
const store = () => ({ path: 'a.db', synchronous: 'normal', spool: folder }) as const

test('what it was given is found by the next process, with room taken for more', async () => {
  const first = await open()
  await Promise.all([first.add([one('a'), one('b')]), first.add([one('a'), one('c')])])
  expect([first.count(), first.has('b'), first.has('z')]).toEqual([3, true, false])
  expect(countWaiting(folder)).toBe(3)
  await first.close()
  expect(statSync(`${folder}/1.spool`).size).toBe(4 * 2 ** 20)
  expect(statSync(`${folder}/1.spool`).mode & 0o777).toBe(0o600)
  await using again = await opened()
  expect(again.found).toEqual(['a', 'b', 'c'].map((id) => ({ origin: '5', settlement: one(id) })))
})

async function opened(origin?: string) {
  const spool = await open(origin)
  return { ...spool, [Symbol.asyncDispose]: spool.close }
}

test('what is stored is forgotten when all of it is', async () => {
  const first = await open()
  await first.add([one('a'), one('b')])
  first.stored(['a'])
  expect(first.count()).toBe(1)
  first.stored(['b', 'unknown'])
  await until('it to be cleared', () => countWaiting(folder) === 0)
  await first.add([one('c')])
  await first.close()
  await using again = await opened()
  expect(idsOf(again)).toEqual(['c'])
})

test('two processes have a file each; what the other left is taken over, once it is gone', async () => {
  const [first, second] = [await open(), await open()]
  await first.add([one('a')])
  await second.add([one('b')])
  expect(countWaiting(folder)).toBe(2)
  await second.close()
  const third = await open()
  expect(idsOf(third)).toEqual(['b'])
  await third.add([one('c')])
  await third.close()
  await first.close()
  const last = await open()
  expect(idsOf(last).toSorted()).toEqual(['a', 'b', 'c'])
  last.stored(['a', 'b', 'c'])
  await last.close()
  expect(countWaiting(folder)).toBe(0)
})

test('a damaged part is set aside and told of; what can be read is there', async () => {
  const first = await open()
  await first.add([one('a')])
  await first.add([one('b')])
  await first.close()
  const path = `${folder}/1.spool`
  const bytes = readFileSync(path)
  bytes[bytes.indexOf('"requestId":"a"') + 14] = 0x58
  writeFileSync(path, bytes)
  const again = await open()
  expect([idsOf(again), again.remark()]).toEqual([['b'], 'damaged'])
  const [aside = ''] = readdirSync(folder).filter((name) => name.startsWith('damaged-'))
  expect(readFileSync(`${folder}/${aside}`, 'utf8')).toContain('"requestId":"aX')
  expect(
    lines.map(({ level, damaged_lines, readable }) => [level, damaged_lines, readable]),
  ).toContainEqual(['error', 1, 1])
  await again.close()
  // Until a person has looked at it; and it is set aside once.
  const later = await open()
  expect(later.remark()).toBe('damaged')
  expect(readdirSync(folder).filter((name) => name.startsWith('damaged-'))).toHaveLength(1)
  await later.close()
})

test('a last line that was cut off is told of, and nothing else', async () => {
  const first = await open()
  await first.add([one('a')])
  await first.close()
  const path = `${folder}/1.spool`
  const end = readFileSync(path).indexOf(0)
  writeFileSync(
    path,
    Buffer.concat([readFileSync(path).subarray(0, end), Buffer.from('\n0a1b2c3d {"ori')]),
  )
  await using again = await opened()
  expect([idsOf(again), again.remark()]).toEqual([['a'], undefined])
  expect(lines.at(-1)?.message).toContain('was never synced')
  await again.add([one('b')])
  expect(countWaiting(folder)).toBe(2)
})

test('a full disk still takes some thousands, and a failure is told and passes', async () => {
  using disk = mountTinyDisk('48m')
  if (disk === undefined) return skipped('mounting takes root.')
  folder = `${disk.path}/spool`
  const spool = await open()
  await spool.add([one('first')]) // behind the room that is taken
  disk.fill()
  const many = (from: number) => Array.from({ length: 500 }, (_, at) => one(`${from + at}`))
  for (let from = 0; from < 3_000; from += 500) await spool.add(many(from))
  let isFull = false
  for (let from = 3_000; !isFull && from < 20_000; from += 500)
    isFull = await spool.add(many(from)).then(
      () => false,
      () => true,
    )
  expect([isFull, spool.hasFailed()]).toEqual([true, true])
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    message: 'the spool cannot store settlements',
  })
  disk.empty()
  await spool.add([one('last')])
  expect(spool.hasFailed()).toBe(false)
  expect(countWaiting(folder)).toBe(spool.count())
  await spool.close()
})

test('on a small disk it takes no more than a part of what is free', async () => {
  using disk = mountTinyDisk('2m')
  if (disk === undefined) return skipped('mounting takes root.')
  folder = `${disk.path}/spool`
  const spool = await open()
  await spool.close()
  expect(statSync(`${folder}/1.spool`).size).toBeWithin(100_000, 220_000)
})

test('a folder that is no folder, or has no place, is an error', async () => {
  writeFileSync(folder, '')
  await expect(open()).rejects.toThrow()
  folder = place.join('nowhere', 'spool')
  await expect(open()).rejects.toThrow('ENOENT')
  expect(existsSync(place.join('nowhere'))).toBe(false)
})

describe('at the start', () => {
  /** Leaves these, as a process that was killed does. */
  async function leave(origin: string, ...settlements: readonly Settlement[]): Promise<void> {
    const spool = await open(origin)
    await spool.add(settlements)
    await spool.close()
  }

  test('what can never be stored is set aside, and holds up no other', async () => {
    await using file = await createFileStore()
    const { records } = file.store
    const gone = [one('of nobody', { accountId: 99 }), one('no price', { priceId: 99 })]
    await leave(
      await records.origin(),
      one('a'),
      ...gone,
      one('wrong', { amountNano: -1 }),
      one('b'),
    )
    await using spool = await opened(await records.origin())
    await replay({ spool, records, store: store() }, log)
    expect(file.rows("SELECT request_id FROM ledger WHERE kind = 'charge' ORDER BY 1")).toEqual([
      { request_id: 'a' },
      { request_id: 'b' },
    ])
    expect([spool.count(), spool.remark()]).toEqual([0, 'refused'])
    const aside = readFileSync(`${folder}/refused.jsonl`, 'utf8').trim().split('\n')
    expect(aside.map((line) => JSON.parse(line).settlement.request.requestId)).toEqual([
      'of nobody',
      'no price',
    ])
    expect(
      lines.filter(({ level }) => level === 'error').map(({ request_id }) => request_id),
    ).toEqual(['of nobody', 'no price', 'wrong'])
  })

  test('what another database began waits for that one, whose folder it is, too', async () => {
    await using file = await createFileStore()
    const { records } = file.store
    const here = await records.origin()
    const charges = () => file.rows("SELECT request_id FROM ledger WHERE kind = 'charge'")
    await leave(here, one('a'))
    {
      await using other = await opened('123')
      expect(idsOf(other)).toEqual([])
      await other.add([one('b')])
      await replay({ spool: other, records, store: store() }, log)
      expect([other.count(), other.remark(), charges()]).toEqual([1, undefined, []])
      expect(lines).toContainEqual(expect.objectContaining({ level: 'error', files: '1.spool' }))
    }
    await using spool = await opened(here)
    await replay({ spool, records, store: store() }, log)
    expect([charges(), spool.count()]).toEqual([[{ request_id: 'a' }], 0])
    await until('the other to wait alone', () => countWaiting(folder) === 1)
  })

  test('what was begun by a key that is gone is not charged to the one that has its id now', async () => {
    await using file = await createFileStore()
    const { records } = file.store
    await leave(await records.origin(), one('before', { createdAt: now - 3_600_000 }), one('a'))
    await using spool = await opened(await records.origin())
    await replay({ spool, records, store: store() }, log)
    expect(file.rows("SELECT request_id FROM ledger WHERE kind = 'charge'")).toEqual([
      { request_id: 'a' },
    ])
    expect([spool.count(), spool.remark()]).toEqual([0, 'refused'])
  })

  test('while the store takes nothing, all of it waits on', async () => {
    await using file = await createFileStore()
    const { records } = file.store
    await leave(await records.origin(), one('a'))
    await using spool = await opened(await records.origin())
    const commit = () => Promise.reject(new StoreError('The disk is full.'))
    await expect(
      replay({ spool, records: { ...records, commit }, store: store() }, log),
    ).rejects.toThrow('1 settlement in the spool')
    expect(countWaiting(folder)).toBe(1)
    await replay({ spool, records, store: store() }, log)
    expect(file.rows("SELECT amount_nano FROM ledger WHERE kind = 'charge'")).toEqual([
      { amount_nano: -10 },
    ])
  })
})
