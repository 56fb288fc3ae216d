import type { Kind } from './clients/asks.ts'
import type { Outcome } from './clients/crowd.ts'
import type { Payer } from './config.ts'

/** What clients noticed of a fault. */
export interface Gap {
  /** From its beginning until the last failure; 0: nobody noticed anything. */
  readonly gapMs: number
  /** How requests failed, with how many of each: `429 after 1 s`, `broken` … */
  readonly failures: ReadonlyMap<string, number>
}

/** These are answered well as long as the gateway does its part. */
const usualKinds: readonly Kind[] = ['plain', 'slow', 'short', 'long']
const usualPayers: readonly Payer[] = ['rich', 'draining', 'resold']

/** Looks at requests that were under way when a fault began, or came later. */
export function findGap(outcomes: readonly Outcome[], beganAt: number): Gap {
  const failures = new Map<string, number>()
  let gapMs = 0
  for (const outcome of outcomes) {
    const { ask, ending, endedAt = 0 } = outcome
    if (endedAt < beganAt || ending === 'whole' || ending === 'left') continue
    if (!usualKinds.includes(ask.kind) || !usualPayers.includes(ask.payer)) continue
    gapMs = Math.max(gapMs, endedAt - beganAt)
    const name = nameOf(outcome)
    failures.set(name, (failures.get(name) ?? 0) + 1)
  }
  return { gapMs, failures }
}

function nameOf({ ending, status, retryAfter }: Outcome): string {
  if (ending !== 'refused') return ending
  return retryAfter === undefined ? `${status}` : `${status} after ${retryAfter} s`
}
