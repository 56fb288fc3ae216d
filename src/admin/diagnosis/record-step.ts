import { causeOf } from './causes.ts'
import type { Facts } from './facts.ts'
import type { Step } from './schema.ts'
import { openStep } from './step.ts'

/** 5. What does the record say, and what do its attempts? */
export function recordStep({ request, rows }: Facts): Step {
  const { status, cause } = request
  const step = openStep('record')
  const known = causeOf(cause)
  if (cause === null) step.note('record_succeeded', { status })
  else {
    step.problem('record_failed', { status, cause })
    if (known) step.note('record_fault', { fault: known.fault })
  }
  rows.attempts.forEach(({ channel, durationMs, ...attempt }, place) => {
    const about = { number: place + 1, channel, duration_ms: durationMs }
    if (attempt.cause !== null) step.note('attempt_failed', { ...about, cause: attempt.cause })
    else step.note('attempt_answered', { ...about, status: attempt.status ?? 0 })
  })
  if (rows.attempts.length === 0) step.note('attempts_none')
  for (const way of known?.ways ?? []) {
    if (way !== 'allow_model') step.way(way)
  }
  return step.done({ explaining: ['record_failed'] })
}
