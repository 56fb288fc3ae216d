import type { Random } from '../../support/random.ts'
import { readSlowly } from '../../support/slow-reader.ts'
import { payers } from '../config.ts'
import { type Ask, bodyOf } from './asks.ts'
import type { Outcome } from './crowd.ts'
import { judgeText } from './send.ts'

/** Asks for a stream, and stops reading now and then. */
export async function sendSlowly(url: string, ask: Ask, random: Random): Promise<Outcome> {
  const slow = { path: ask.dialect.path(true), key: payers[ask.payer].key, body: bodyOf(ask) }
  const { status, id, text, isClosedWell } = await readSlowly(
    Number(new URL(url).port),
    random,
    slow,
  )
  if (status === 0) return { ask, ending: 'unreached' }
  const isCut = isClosedWell ? undefined : 'broken'
  return { ask, status, id: id || undefined, ...judgeText(ask, status, text, isCut) }
}
