import type { SignedIn } from '../../../../src/admin/access.ts'
import { configState } from '../../../../src/app/console/config-export/state.ts'
import type { GatewayFacts } from '../../../../src/app/console/reading/app.ts'
import { createReadingApp } from '../../../../src/app/console/reading/app.ts'
import { createReader } from '../../../../src/app/console/reading/reader.ts'
import { createLogger } from '../../../../src/lib/log.ts'
import { createSecretBox } from '../../../../src/lib/secrets.ts'
import type { DatabasePlace, ReadingStore } from '../../../../src/store/ports/store.ts'
import { program } from '../../../cli/cli.ts'
import { now } from '../../../store/support.ts'
import { configOf } from '../../serving.ts'

/** An administrator; `user` is an account of a made store. */
export const admin: SignedIn = {
  ...{ accountId: 1, email: 'boss@example.com', role: 'admin' },
  ...{ isVouched: true, sessionId: 'one', signedInAt: now },
}
export const user: SignedIn = { ...admin, email: 'account-1@example.com', role: 'user' }

export const facts: GatewayFacts = {
  usuallyLowNano: async () => 5_000_000_000,
  now: async () => ({
    ...{ version: '1', started_at: '2026-11-21T00:00:00Z', requests_under_way: 3 },
    ...{ streams_under_way: 1, memory_bytes: 4, database_bytes: null, newer_release: null },
    ...{ channels: 1, groups: 1, models: 1, cooling: [], attempts: [] },
  }),
  configState: async () =>
    configState(
      configOf('site: { name: Toll }\n'),
      { channels: [], groups: [], prices: [] },
      createSecretBox('a secret of this test'),
    ),
  channelKeys: async () => new Map(),
  hideUpstream: async (rows) => ({ ...rows, request: { ...rows.request, usageRaw: '"hidden"' } }),
}

export const readingOf = (path: string, init?: RequestInit) =>
  new Request(`http://gateway.example/api/v1${path}`, init)

/** A reader in a process of its own, and what it logged. */
export function startReader(place: DatabasePlace, idleForMs?: number) {
  const lines: string[] = []
  const clock = () => now
  const log = createLogger({
    sink: (line) => lines.push(line),
    pretty: false,
    level: 'info',
    clock,
  })
  const reader = createReader({ place, facts, clock, log, program }, idleForMs)
  return { reader, lines, [Symbol.asyncDispose]: reader.close }
}

/** The same application in this process. */
export function startHere(store: ReadingStore) {
  const clock = () => now
  const log = createLogger({ sink: () => {}, pretty: false, level: 'error', clock })
  return createReadingApp({ store, facts, clock, log })
}

/** All of an answer that anybody sees. */
export async function seen(response: Response) {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}
