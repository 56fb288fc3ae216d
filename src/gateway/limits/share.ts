import type { Limits } from '../../store/ports/catalog.ts'
import type { Subject } from './tally.ts'

/** What a node keeps to by itself when all nodes together must keep to these limits; 1 at least. */
export function shareOf(subject: Subject, nodes: number): Subject {
  const { limits, told = limits } = subject
  const share = (limit: number | null) =>
    limit === null ? null : Math.max(1, Math.floor(limit / nodes))
  const { rpm, tpm, concurrency } = limits
  const own: Limits = { rpm: share(rpm), tpm: share(tpm), concurrency: share(concurrency) }
  return { ...subject, limits: own, told }
}
