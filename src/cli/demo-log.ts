import { usd } from '../billing/money.ts'
import { counted, humanDuration } from '../lib/format.ts'
import type { LogFields, Logger } from '../lib/log.ts'

/** A logger that turns request lines into what a newcomer wants to know, and adds them up. */
export interface DemoLog {
  readonly log: Logger
  /** Resolves when every line so far is written. */
  idle(): Promise<void>
  summary(): string
}

/** Where lines go, and where the balance comes from. */
export interface DemoLogParts {
  /** Takes all lines but those of requests. */
  readonly inner: Logger
  /** Takes a finished line; undefined: requests go to `inner` too. */
  readonly print: ((line: string) => void) | undefined
  /** What is left on the demo's account, in nano-USD. */
  readonly balance: () => Promise<number | undefined>
}

/** Lines of requests become the demo's own; all others go to `inner` as they are. */
export function createDemoLog({ inner, print, balance }: DemoLogParts): DemoLog {
  let requests = 0
  let totalNano = 0
  let last: Promise<void> = Promise.resolve()

  async function tell(fields: LogFields): Promise<void> {
    // The last lines may come when the database is closed already.
    const left = await balance().catch(() => undefined)
    const line = describeRequest(fields)
    print?.(left === undefined ? line : `${line}, ${usd(left)} left`)
  }

  return {
    log: {
      ...inner,
      info(message, fields = {}) {
        if (message !== 'request') return inner.info(message, fields)
        requests++
        totalNano += amountOf(fields)
        if (!print) return inner.info(message, fields)
        last = last.then(() => tell(fields))
      },
    },
    idle: () => last,
    summary: () => `${counted(requests, 'request')}, ${usd(totalNano)} in all.`,
  }
}

const amountOf = ({ amount_nano }: LogFields) => (typeof amount_nano === 'number' ? amount_nano : 0)

/** `200 chat completions demo: 14 in, 9 out, 0.000017 USD, 41 ms`. */
function describeRequest(fields: LogFields): string {
  const what = new Set([fields.status, fields.protocol, fields.operation, fields.model])
  const head = [...what].filter((part) => part !== undefined && part !== null).join(' ')
  const cause = fields.cause ? [`${fields.cause}`] : []
  const used =
    fields.input_tokens === undefined
      ? []
      : [
          `${fields.input_tokens} in`,
          `${fields.output_tokens} out`,
          ...(fields.cache_read_tokens ? [`${fields.cache_read_tokens} cached`] : []),
          ...(fields.cache_write_tokens ? [`${fields.cache_write_tokens} to cache`] : []),
        ]
  const took = typeof fields.duration_ms === 'number' ? [humanDuration(fields.duration_ms)] : []
  return `${head}: ${[...cause, ...used, ...took, usd(amountOf(fields))].join(', ')}`
}
