import { expect, test } from 'bun:test'
import { replay } from '../../src/app/spool.ts'
import { createCommitter } from '../../src/gateway/money/committer.ts'
import { createLogger } from '../../src/lib/log.ts'
import type { Batch, Committed, Settlement } from '../../src/store/ports/records.ts'
import { StoreError, UnansweredError } from '../../src/store/ports/store-error.ts'
import { createSpoolFile } from '../../src/store/spool/files.ts'
import { decodeLines } from '../../src/store/spool/lines.ts'
import { createSpool } from '../../src/store/spool/spool.ts'
import { createFakeDisk, type FakeDisk, type Fate } from '../store/spool/fake-disk.ts'
import { createFileStore } from '../store/sqlite/file-store.ts'
import { now, settlement } from '../store/support.ts'
import { createRandom } from '../support/random.ts'
import { createTempDir } from '../support/temp-dir.ts'

// Stores that refuse and stay silent, spools that fail, kills and power cuts, at every step and in any order:
// what went out is charged once, what did not is not.

const lives = 6
const seeds = Number(process.env.SPOOL_SEEDS ?? 150)

const quiet = createLogger({ sink() {}, pretty: false, clock: () => now, level: 'error' })

/** What the judge knows of one request. */
interface Case {
  readonly requestId: string
  /** It went out whole. */
  isAnswered: boolean
  /** Its client was told of an error, and has nothing. */
  isRefused: boolean
  /** The store may have it though it did not say so, or the spool though it failed. */
  mayBeCharged: boolean
}

test('nothing is lost and nothing twice, whatever fails and dies in which order', async () => {
  await using file = await createFileStore()
  using folder = createTempDir('tollgate-spool')
  let answered = 0
  let refused = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const random = createRandom(seed)
    const cases: Case[] = []
    let image: Uint8Array = new Uint8Array(random() < 0.5 ? 0 : 16_384)
    for (let life = 1; life <= lives; life++) {
      const isLast = life === lives
      image = await live({ random, cases, image, seed, life, isLast })
    }
    const charged = new Set(
      file
        .rows<{ id: string }>(
          `SELECT request_id AS id FROM ledger WHERE kind = 'charge' AND request_id LIKE '${seed}-%'`,
        )
        .map(({ id }) => id),
    )
    for (const one of cases) {
      const isCharged = charged.has(one.requestId)
      if (one.isAnswered) {
        answered++
        expect([seed, one, isCharged]).toEqual([seed, one, true])
      }
      if (one.isRefused && !one.mayBeCharged) refused++
      if (one.isRefused && !one.mayBeCharged)
        expect([seed, one, isCharged]).toEqual([seed, one, false])
    }
    const [set] = file.rows<{ nano: number; requests: number }>(
      'SELECT (SELECT sum(amount_nano) FROM ledger) AS nano, (SELECT balance_nano FROM account) AS requests',
    )
    expect(set?.nano).toBe(set?.requests)
  }
  console.log(`${seeds} seeds: ${answered} answers, ${refused} refused`)
  expect(answered).toBeGreaterThan(seeds)

  interface Life {
    readonly random: () => number
    readonly cases: Case[]
    readonly image: Uint8Array
    readonly seed: number
    readonly life: number
    readonly isLast: boolean
  }

  /** One life of a process; gives what its disk holds in the end. */
  async function live({ random, cases, image, seed, life, isLast }: Life): Promise<Uint8Array> {
    const death = Promise.withResolvers<void>()
    let isDead = false
    const die = () => {
      isDead = true
      death.resolve()
    }
    const trouble = isLast ? 0 : random() * 0.6
    const fateOf = (): Fate => {
      if (isDead) return 'dies'
      if (random() > trouble) return 'well'
      if (random() < 0.5) return 'fails'
      die()
      return 'dies'
    }
    const disk: FakeDisk = createFakeDisk(image, fateOf, random)
    const never = new Promise<never>(() => {})
    const records = {
      ...file.store.records,
      async commit(batch: Batch): Promise<Committed> {
        if (isDead) await never
        const drawn = random() > trouble ? 1 : random()
        const ids = new Set(batch.settle?.map(({ request }) => request.requestId))
        const note = () => {
          for (const one of cases) if (ids.has(one.requestId)) one.mayBeCharged = true
        }
        if (drawn < 0.4) throw new StoreError('It refuses.')
        if (drawn < 0.6) {
          note()
          throw new UnansweredError('It is silent, and has not done it.')
        }
        const committed = await file.store.records.commit(batch)
        if (drawn === 1) return committed
        note()
        if (drawn < 0.8) throw new UnansweredError('It is silent, and has done it.')
        die()
        return await never
      },
    }
    const store = { path: 'a.db', synchronous: 'normal', spool: folder.path } as const
    async function run(): Promise<void> {
      const made = createSpoolFile(disk, decodeLines(disk.afterKill()))
      const small = { ...made, reserve: () => made.reserve(8_192) }
      const own = { name: '1.spool', file: small, close: async () => {} }
      const spool = await createSpool(folder.path, [own], quiet)
      spool.setOrigin(await records.origin())
      await replay({ spool, records, store }, quiet)
      const committer = createCommitter(records, () => {}, quiet, spool)
      for (let turn = 0; turn < 3 && !isLast; turn++) {
        const asked = Array.from({ length: Math.ceil(random() * 4) }, async (_, at) => {
          const requestId = `${seed}-${life}-${turn}-${at}`
          const one: Case = { requestId, isAnswered: false, isRefused: false, mayBeCharged: false }
          cases.push(one)
          const charge: Settlement = settlement({
            requestId,
            amountNano: 1 + Math.floor(random() * 9),
          })
          const isDelivered = random() < 0.3
          try {
            await committer.settle(charge)
            if (!isDead) one.isAnswered = true
          } catch {
            if (isDead) return
            // What the spool was given, and could not undo.
            if (disk.failures() > 1) one.mayBeCharged = true
            one.isRefused = !isDelivered
            const failed = settlement({ requestId, amountNano: 0, ending: 'failed' })
            committer.keep(isDelivered ? charge : failed)
          }
        })
        await Promise.all(asked)
      }
      await committer.idle()
      await spool.close()
    }
    await Promise.race([
      run().catch((error) => expect(isLast ? error : undefined).toBeUndefined()),
      death.promise,
    ])
    // What was to be recorded as refused was known to the dead alone.
    if (isDead)
      for (const one of cases)
        if (one.requestId.startsWith(`${seed}-${life}-`)) one.mayBeCharged = true
    isDead = true
    return random() < 0.5 ? disk.afterKill() : disk.afterPowerCut(random)
  }
})
