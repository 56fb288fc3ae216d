import { failuresOf, requestsOf } from '../../catalog/availability.ts'
import type { AvailabilityCounts } from '../../store/ports/availability.ts'
import { causeOf, isOfGroup } from './causes.ts'
import type { Facts } from './facts.ts'
import { openStep } from './open-step.ts'
import type { Step } from './schema.ts'

/** The status page calls a group with fewer failures operational. */
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
  // One failure is this request itself.
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

/** 2. Was it the right path? Wrong paths leave no record. */
export function endpointStep({ request }: Facts): Step {
  const { clientProtocol: protocol, upstreamProtocol: upstream, operation } = request
  const step = openStep('endpoint')
  step.note('endpoint_used', { endpoint: endpointOf(protocol, operation, request), protocol })
  if (upstream !== null && upstream !== protocol) {
    step.note('endpoint_translated', { protocol, upstream })
  }
  step.note('endpoint_no_record')
  return step.done({})
}

const endpoints: Readonly<Record<string, string>> = {
  'chat completions': 'POST /v1/chat/completions',
  'chat text_completions': 'POST /v1/completions',
  'chat embeddings': 'POST /v1/embeddings',
  'chat images.generations': 'POST /v1/images/generations',
  'chat images.edits': 'POST /v1/images/edits',
  'responses responses': 'POST /v1/responses',
  'responses compact': 'POST /v1/responses/compact',
  'messages messages': 'POST /v1/messages',
  'gemini generate': 'POST /v1beta/models/{model}:generateContent',
  'gemini embed': 'POST /v1beta/models/{model}:embedContent',
  'gemini batch_embed': 'POST /v1beta/models/{model}:batchEmbedContents',
}

/** The endpoint of a request; its operation if this version does not know it. */
export function endpointOf(
  protocol: string,
  operation: string,
  { stream = false, model = null as string | null } = {},
): string {
  const known = endpoints[`${protocol} ${operation}`] ?? `${protocol} ${operation}`
  const named = known.replace('{model}', () => model ?? '{model}')
  return stream ? named.replace(':generateContent', ':streamGenerateContent') : named
}

const mostGroups = 5

/** 6. Which other groups answered for this model lately? */
export function groupsStep({
  request,
  usable,
  tokenLink: link,
  ownGroups,
  showsGroups,
  ofModel,
}: Facts): Step {
  const { model } = request
  const step = openStep('groups')
  if (model === null) {
    step.note('model_not_named')
    return step.done({ isUnknown: true, link })
  }
  const others = usable
    .filter(({ id, name, offers }) => {
      const isShown = showsGroups || ownGroups.has(name)
      const isOffered = (offers.get(model)?.candidates.length ?? 0) > 0
      return id !== request.groupId && isShown && isOffered
    })
    .map(({ id, name }) => {
      const counts = ofModel.get(id)
      return {
        name,
        requests: counts ? requestsOf(counts) : 0,
        failed: counts ? failuresOf(counts) : 0,
      }
    })
  const worked = others
    .filter(({ requests, failed }) => requests > failed)
    .sort((a, b) => a.failed / a.requests - b.failed / b.requests || b.requests - a.requests)
    .slice(0, mostGroups)
  for (const { name, requests, failed } of worked) {
    step.note('group_worked', { group: name, model, requests, failed })
  }
  const untried = others.filter(({ requests }) => requests === 0).map(({ name }) => name)
  if (untried.length > 0) {
    step.note('groups_untried', { groups: untried.sort().slice(0, mostGroups), model })
  }
  const choice = worked[0]?.name ?? untried[0]
  if (choice === undefined) step.note('groups_none', { model })
  else step.way('change_group', { group: choice })
  return step.done({ isUnknown: worked.length === 0, link })
}
