import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { TextSealer } from '../../lib/secrets.ts'
import type { SignInRecords } from '../../store/ports/sign-in.ts'

/** The one-time code that makes the first administrator: the same on all nodes, whichever is asked. */
export interface SetupCode {
  /** The code; made when there is none. Nodes that start together end with the same one. */
  open(): Promise<string>
  isOpen(): Promise<boolean>
  /** Takes as long for every guess. False when there is no code. */
  matches(guess: string): Promise<boolean>
  /** Forgets it, for all nodes. */
  close(): Promise<void>
}

interface SetupCodeParts {
  readonly records: Pick<SignInRecords, 'create' | 'find' | 'remove'>
  readonly sealer: TextSealer
  readonly clock: Clock
}

const identifier = 'set-up'
const ours = [
  { column: 'identifier', operator: 'eq', value: identifier, connector: 'AND' },
] as const

/** It is kept in the database, sealed: who reads that must not become an administrator by it. */
export function createSetupCode({ records, sealer, clock }: SetupCodeParts): SetupCode {
  /** The oldest counts. One that another secret has sealed is none. */
  async function find(): Promise<string | undefined> {
    const rows = await records.find('verification', { where: ours, limit: 100 })
    return rows.map(({ value }) => sealer.open(String(value))).find((code) => code !== undefined)
  }

  async function make(): Promise<void> {
    // In hex: nothing in it looks like a key, which a log would hide.
    const value = sealer.seal(randomBytes(24).toString('hex'))
    const now = clock()
    const times = { created_at: now, updated_at: now, expires_at: Number.MAX_SAFE_INTEGER }
    await records.create('verification', { identifier, value, ...times })
  }

  return {
    async open() {
      if ((await find()) === undefined) await make()
      const code = await find() // another node may have made one first
      if (code === undefined) throw new Error('The set-up code was not stored.')
      return code
    },
    isOpen: async () => (await find()) !== undefined,
    async matches(guess) {
      const code = await find()
      return code !== undefined && timingSafeEqual(hashOf(code), hashOf(guess))
    },
    async close() {
      await records.remove('verification', ours)
    },
  }
}

const hashOf = (code: string): Uint8Array => createHash('sha256').update(code).digest()
