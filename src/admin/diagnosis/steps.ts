import { failuresOf, requestsOf } from '../../catalog/availability.ts'
import type { Group } from '../../catalog/catalog.ts'
import { nearest } from '../../lib/suggest.ts'
import type { AvailabilityCounts } from '../../store/ports/availability.ts'
import { causeOf, isOfGroup } from './causes.ts'
import type { Facts } from './facts.ts'
import type { Note, NoteWord, Step, StepName, Way, WayWord } from './schema.ts'

type Params = Note['params']

export interface OpenStep {
  note(word: NoteWord, params?: Params): void
  way(word: WayWord, params?: Params): void
  /** Adds a note before all others; the step's finding becomes `problem`. */
  problem(word: NoteWord, params?: Params): void
  readonly problems: readonly NoteWord[]
  /** `explaining`: the problems that explain this failure; the first of them becomes the first note. */
  done(result: {
    readonly explaining?: readonly NoteWord[]
    readonly isUnknown?: boolean
    readonly link?: string | null
  }): Step
}

/** Opens a step of a diagnosis. */
export function openStep(step: StepName): OpenStep {
  const notes: Note[] = []
  const ways: Way[] = []
  const problems: NoteWord[] = []
  return {
    problems,
    note: (word, params = {}) => void notes.push({ word, params }),
    way(word, params = {}) {
      if (!ways.some((known) => known.word === word)) ways.push({ word, params })
    },
    problem(word, params = {}) {
      notes.splice(problems.length, 0, { word, params })
      problems.push(word)
    },
    done({ explaining = [], isUnknown = false, link = null }) {
      const finding = problems.length > 0 ? 'problem' : isUnknown ? 'unknown' : 'ok'
      const place = problems.findIndex((word) => explaining.includes(word))
      notes.unshift(...notes.splice(Math.max(place, 0), 1))
      return { step, finding, explains: place >= 0, notes, ways, link }
    },
  }
}

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

const mostNames = 5
const plaza = '/plaza'

/** 3. Does the group have a model of that name? */
export function modelStep(facts: Facts): Step {
  const { request, group } = facts
  const { model, cause } = request
  const step = openStep('model')
  const done = (...explaining: readonly NoteWord[]) => step.done({ explaining, link: plaza })
  if (model === null) {
    step.note('model_not_named')
    return step.done({ isUnknown: true, link: plaza })
  }
  if (group === undefined || group === 'closed') {
    const word = group === undefined ? 'group_gone' : 'group_closed'
    step.problem(word, { group: request.group })
    step.way('try_other_group')
    const isMissing = group === undefined && cause === 'model_not_found'
    return cause === 'group_disabled' || isMissing ? done(word) : done()
  }
  const named = { model, group: group.name }
  const offer = group.offers.get(model)
  if (offer === undefined) {
    step.problem('model_not_in_group', named)
    lookElsewhere(facts, group, model, step)
    return cause === 'model_not_found' ? done('model_not_in_group') : done()
  }
  if (offer.candidates.length === 0) {
    step.problem('model_no_channel', named)
    step.way('try_other_group')
    step.way('ask_operator')
    return cause === 'no_channel' ? done('model_no_channel') : done()
  }
  step.note(cause === 'model_not_found' ? 'model_there_by_now' : 'model_in_group', named)
  return done()
}

/** Similar names in the group, and groups that have exactly this model. */
function lookElsewhere(facts: Facts, group: Group, model: string, step: OpenStep): void {
  const { usable, request, ownGroups, showsGroups } = facts
  const names = nearest(model, [...group.offers.keys()], mostNames)
  const [name] = names
  if (name !== undefined) {
    step.note('model_nearest', { group: request.group, names: [...names] })
    step.way('use_model', { name })
  }
  const having = usable
    .filter(({ offers }) => (offers.get(model)?.candidates.length ?? 0) > 0)
    .map((one) => one.name)
    .sort()
  const own = having.filter((one) => ownGroups.has(one)).slice(0, mostNames)
  const others = having.filter((one) => !ownGroups.has(one)).slice(0, mostNames)
  if (own.length > 0) step.note('model_in_own_groups', { model, groups: own })
  if (showsGroups && others.length > 0) {
    step.note('model_in_other_groups', { model, groups: others })
  }
  const [choice] = showsGroups ? [...own, ...others] : own
  if (choice === undefined) step.note('model_nowhere', { model })
  else step.way('change_group', { group: choice })
  step.way('see_models')
}

/** 5. What does the record say, and what do its attempts? */
export function recordStep({ request, attempts, channels }: Facts): Step {
  const { status, cause } = request
  const step = openStep('record')
  const known = causeOf(cause)
  if (cause === null) step.note('record_succeeded', { status })
  else {
    keyTrouble(attempts, channels, step)
    step.problem('record_failed', { status, cause })
    if (known) step.note('record_fault', { fault: known.fault })
  }
  attempts.forEach(({ cause, status, durationMs }, place) => {
    const about = { number: place + 1, duration_ms: durationMs }
    const channel = channels?.[place]
    const outcome: Params = cause === null ? { status: status ?? 0 } : { cause }
    const word = cause === null ? 'attempt_answered' : 'attempt_failed'
    if (channel === undefined) step.note(word, { ...about, ...outcome })
    else step.note(`${word}_at`, { ...about, channel, ...outcome })
  })
  if (attempts.length === 0) step.note('attempts_none')
  for (const way of known?.ways ?? []) {
    if (way !== 'allow_model') step.way(way)
  }
  return step.done({
    explaining: ['channel_key_refused', 'channel_key_used_up', 'record_failed'],
  })
}

const keyWords: Readonly<Record<string, NoteWord>> = {
  upstream_auth: 'channel_key_refused',
  upstream_quota: 'channel_key_used_up',
}

/** Names the channels whose keys were at fault, to who may know them. */
function keyTrouble(
  attempts: Facts['attempts'],
  channels: Facts['channels'],
  step: OpenStep,
): void {
  const named = new Set<string>()
  attempts.forEach(({ cause }, place) => {
    const word = keyWords[cause ?? '']
    const channel = channels?.[place]
    if (word === undefined || channel === undefined || named.has(channel)) return
    named.add(channel)
    step.problem(word, { channel })
    step.way('check_key', { channel })
  })
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
