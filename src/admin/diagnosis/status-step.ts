import { failuresOf, requestsOf } from '../../catalog/availability.ts'
import type { AvailabilityCounts } from '../../store/ports/availability.ts'
import { causeOf, isOfGroup } from './causes.ts'
import type { Facts } from './facts.ts'
import type { Step } from './schema.ts'
import { openStep } from './step.ts'

/** As much of failure is none of the group's: the status page calls it operational. */
const usualShare = 0.05

/** 1. Did the whole group fluctuate, then or now? */
export function statusStep(facts: Facts, statusUrl: string): Step {
  const { request, around, lately } = facts
  const { group } = request
  const step = openStep('status')
  if (facts.group === 'closed') {
    step.note('group_closed', { group })
    return step.done({ isUnknown: true, link: statusUrl })
  }
  const isCandidate = isOfGroup(causeOf(request.cause))
  const figures = {
    ...{ group, requests: requestsOf(around.counts), failed: failuresOf(around.counts) },
    since_at: new Date(around.since).toISOString(),
    until_at: new Date(around.until).toISOString(),
  }
  // One of the failures is this request itself.
  const didFluctuate = hasFailed(around.counts, isCandidate ? 1 : 0)
  if (figures.requests === 0) step.note('status_none_then', { group })
  else if (didFluctuate) step.problem('status_then', figures)
  else step.note('status_then', figures)
  const now = { group, requests: requestsOf(lately), failed: failuresOf(lately) }
  step.note(now.requests === 0 ? 'status_none_now' : 'status_now', now)
  if (didFluctuate && !isCandidate) step.note('status_not_the_cause')
  if (didFluctuate && isCandidate) {
    step.way('wait')
    step.way('try_other_group')
  }
  const isUnknown = figures.requests === 0
  const explaining = isCandidate ? (['status_then'] as const) : []
  return step.done({ explaining, isUnknown, link: statusUrl })
}

function hasFailed(counts: AvailabilityCounts, own: number): boolean {
  const others = failuresOf(counts) - own
  return others > 0 && others / requestsOf(counts) > usualShare
}
