import type { Limits } from '../ports/catalog.ts'
import type { Admission, Admitted, LimitCounters, Report, Shortage } from '../ports/counters.ts'
import type { Link } from './link.ts'
import { admitScript, reportScript } from './scripts.ts'

/** So many steps are told of in one call: a server does nothing else meanwhile. */
const stepsPerCall = 250

const limitNames: readonly (keyof Limits)[] = ['rpm', 'tpm', 'concurrency']

/** Limits by two scripts, each one round trip. */
export function limitCounters(
  { run }: Pick<Link, 'run'>,
  prefix: string,
  leaseMs: number,
): LimitCounters {
  const windowOf = (name: string) => `${prefix}:window:${name}`
  const slotsOf = (name: string) => `${prefix}:slots:${name}`
  const lease = String(leaseMs)

  function callsOf(report: Report): Step[][] {
    const steps = stepsOf(report, windowOf, slotsOf)
    const calls = Math.ceil(steps.length / stepsPerCall)
    return Array.from({ length: calls }, (_, at) =>
      steps.slice(at * stepsPerCall, (at + 1) * stepsPerCall),
    )
  }

  async function tell(steps: readonly Step[]): Promise<void> {
    const values = steps.flatMap((step) => step.values)
    const keys = steps.map(({ key }) => key)
    await run(reportScript, keys, [lease, ...values])
  }

  async function tellInTurn(calls: readonly (readonly Step[])[]): Promise<void> {
    for (const steps of calls) await tell(steps)
  }

  return {
    async admit({ counted, llmTokens, slot }: Admission): Promise<Admitted> {
      const keys: string[] = []
      const values = [String(llmTokens), slot, lease]
      for (const { name, limits } of counted) {
        keys.push(windowOf(name), slotsOf(name))
        values.push(textOf(limits.rpm), textOf(limits.tpm), textOf(limits.concurrency))
      }
      const found = (await run(admitScript, keys, values)) as readonly number[]
      if (found[0] === 1) return { ok: true, part: found[1] ?? 0 }
      return { ok: false, shortages: shortagesIn(found) }
    },
    async report({ kept = [], ...rest }) {
      // All that are kept in one turn: that one of them is free again comes behind it.
      await Promise.all([tellInTurn(callsOf(rest)), ...callsOf({ kept }).map(tell)])
    },
  }
}

const textOf = (limit: number | null) => (limit === null ? '' : String(limit))

/** Three numbers each, after the first: its place from 1, the place of its limit from 1, ms. */
function shortagesIn(found: readonly number[]): Shortage[] {
  const shortages: Shortage[] = []
  for (let from = 1; from + 2 < found.length; from += 3) {
    const [at = 0, limit = 0, retryAfterMs = 0] = found.slice(from, from + 3)
    const name = limitNames[limit - 1]
    if (name) shortages.push({ at: at - 1, limit: name, retryAfterMs })
  }
  return shortages
}

interface Step {
  readonly key: string
  readonly values: readonly [string, string, string, string]
}

function stepsOf(
  { changes = [], freed = [], kept = [] }: Report,
  windowOf: (name: string) => string,
  slotsOf: (name: string) => string,
): Step[] {
  return [
    ...changes.map(
      ({ name, part, requests, llmTokens }): Step => ({
        key: windowOf(name),
        values: ['change', String(part), String(requests), String(llmTokens)],
      }),
    ),
    ...freed.map(
      ({ name, slot }): Step => ({ key: slotsOf(name), values: ['freed', slot, '', ''] }),
    ),
    ...kept.map(({ name, slot }): Step => ({ key: slotsOf(name), values: ['kept', slot, '', ''] })),
  ]
}
