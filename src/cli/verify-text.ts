import type { Findings } from '../app/verify/findings.ts'
import type { Verified } from '../app/verify/verify.ts'
import { formatNano } from '../billing/money.ts'
import { counted, grouped, humanTime, isoTime } from '../lib/format.ts'

export function describeVerified(
  verified: Verified,
  { total, listed }: Findings,
  since: number | undefined,
): readonly string[] {
  const { requests, entries, accounts, reservations, chargedNano, durationMs, isDamaged } = verified
  const missing = verified.unchecked.map((text) => `Not checked: ${text}.`)
  const unlisted = total - listed.length
  const more = unlisted > 0 ? [`… and ${counted(unlisted, 'difference')} more.`] : []
  if (isDamaged) return [...more, ...missing]
  const seconds = durationMs / 1000
  const rate = grouped(Math.round(requests / Math.max(seconds, 0.001)))
  const span = since === undefined ? '' : ` from ${humanTime(isoTime(since))} on`
  const things = `${counted(requests, 'request')} and ${entriesOf(entries)}${span}`
  const others = `${counted(accounts, 'account')}, ${counted(reservations, 'open reservation')}`
  const took = `in ${seconds.toFixed(1)} s (${rate} requests/s)`
  const result =
    total === 0
      ? `Every charge follows from its receipt, every balance from the ledger.`
      : `${counted(total, 'difference')} found.`
  return [
    ...more,
    `Verified ${things}, ${others}, ${took}. ` +
      `The requests were charged ${formatNano(chargedNano)} USD. ${result}`,
    ...missing,
  ]
}

const entriesOf = (count: number) => `${grouped(count)} ledger ${count === 1 ? 'entry' : 'entries'}`

/** Why the command fails: how many differences of each kind. */
export function describeFindings({ isDamaged }: Verified, { total, counts }: Findings): string {
  const kinds = Object.entries(counts).map(([kind, count]) => `${grouped(count)} ${kind}`)
  const found = `${counted(total, 'difference')} (${kinds.join(', ')})`
  if (!isDamaged) return `The records do not agree with one another: ${found}.`
  return (
    `The database file is damaged: ${found}. Nothing else was verified, for nothing in it can ` +
    'be relied on. Stop the gateway, keep a copy of the file, and restore a backup.'
  )
}

/** The same as JSON; the sum is a text, as it may exceed numbers. */
export function verifiedView(verified: Verified, findings: Findings, since: number | undefined) {
  const { requests, entries, accounts, reservations, chargedNano, durationMs } = verified
  return {
    valid: findings.total === 0,
    damaged: verified.isDamaged,
    unchecked: verified.unchecked,
    since: since === undefined ? null : isoTime(since),
    requests,
    ledger_entries: entries,
    accounts,
    reservations,
    charged_usd: formatNano(chargedNano),
    duration_ms: Math.round(durationMs),
    differences_total: findings.total,
    kinds: findings.counts,
    differences: findings.listed,
  }
}
