import type { Dialect } from '../../e2e/dialects.ts'
import { answerWell, type Due, faults } from '../../support/fault/odd-answers.ts'
import { end, httpBytes, type Step, type Steps, wait, write } from '../../support/fault/steps.ts'

/** One way of answering, and what the vendor bills for it. */
export interface Kind {
  readonly steps: (due: Due) => Steps
  /** `told`: all of it, with its usage; `untold`: all of it, and it doesn't say what; else nothing. */
  readonly bills?: 'told' | 'untold'
}

/** Everything that an upstream may do to a request. */
export const kinds = {
  well: { steps: answerWell, bills: 'told' },
  'slow drip': { steps: faults.drip, bills: 'told' },
  late: { steps: faults.slow, bills: 'told' },
  'closes while idle': { steps: (due) => [...answerWell(due), wait(5), end], bills: 'told' },
  'JSON for a stream': {
    steps: (due) => answerWell({ ...due, isStreamed: false }),
    bills: 'told',
  },
  'usage as strings': {
    steps: (due) => answerWell(rewritten(due, asStrings)),
    bills: 'told',
  },
  'usage missing': { steps: (due) => answerWell(rewritten(due, withoutUsage)), bills: 'untold' },
  'silent before the head': { steps: faults.stall },
  'silent inside': { steps: (due) => faults[due.isStreamed ? 'stall-inside' : 'half-head'](due) },
  'half then reset': { steps: (due) => faults[due.isStreamed ? 'cut' : 'cut-body'](due) },
  'half an event': {
    steps: (due) => faults[due.isStreamed ? 'cut-in-an-event' : 'length-lies'](due),
  },
  'error inside': { steps: (due) => faults[due.isStreamed ? 'error-late' : 'error-inside'](due) },
  'no last words': { steps: (due) => faults[due.isStreamed ? 'no-last-words' : 'no-json'](due) },
  garbage: { steps: faults.garbage },
  hangup: { steps: faults.hangup },
  redirect: { steps: faults.redirect },
  'status 400': { steps: faults['status-400'] },
  'status 500': { steps: faults['status-500'] },
  'status 503': { steps: faults['status-503'] },
  'status 529': { steps: faults['status-529'] },
  'status 429': { steps: refusal(429) },
  'status 429 with Retry-After': { steps: faults['status-429'] },
  'status 999': { steps: refusal(999) },
  'never ends': { steps: neverEnding },
} as const satisfies Record<string, Kind>
export type KindName = keyof typeof kinds

/** The due answer, with everything that its protocol writes changed. */
function rewritten(due: Due, change: (text: string) => string): Due {
  const { first, last, body } = due.dialect
  const dialect: Dialect = {
    ...due.dialect,
    first: (tokens) => change(first(tokens)),
    last: (tokens) => change(last(tokens)),
    body: (tokens) => JSON.parse(change(JSON.stringify(body(tokens)))),
  }
  return { ...due, dialect }
}

const withoutUsage = (text: string) => text.replaceAll(/"usage(Metadata)?":/g, '"nothing":')
const asStrings = (text: string) =>
  text.replaceAll(/"(\w*(?:_tokens|TokenCount))":(\d+)/g, '"$1":"$2"')

function refusal(status: number) {
  const body = JSON.stringify({ error: { message: `This is a ${status}.`, type: 'error' } })
  return ({ upstreamId }: Due): Steps => [
    write(httpBytes({ status, body, headers: [['x-request-id', upstreamId]] })),
  ]
}

/** For longer than any answer may take. */
function neverEnding(due: Due): Steps {
  if (!due.isStreamed) return faults['half-head']()
  const [head, first, ...piece] = answerWell({ ...due, size: 'short' }).slice(0, 3) as Step[]
  const drops = Array.from({ length: 300 }, () => [...piece, wait(200)])
  return [head as Step, first as Step, ...drops.flat()]
}
