import type { StateThen } from '../../store/ports/records.ts'
import { causeOf } from './causes.ts'
import type { Facts } from './facts.ts'
import { type OpenStep, openStep, type Params } from './open-step.ts'
import type { NoteWord, Step } from './schema.ts'

/** 5. What does the record say, and what do its attempts? */
export function recordStep(facts: Facts): Step {
  const { request, attempts, asked } = facts
  const { status, cause } = request
  const step = openStep('record')
  const known = causeOf(cause)
  if (cause === null) step.note('record_succeeded', { status })
  else {
    keyTrouble(facts, step)
    step.problem('record_failed', { status, cause })
    if (known) step.note('record_fault', { fault: known.fault })
  }
  attempts.forEach(({ cause, status, durationMs }, place) => {
    const about = { number: place + 1, duration_ms: durationMs }
    const outcome: Params = cause === null ? { status: status ?? 0 } : { cause }
    const word = cause === null ? 'attempt_answered' : 'attempt_failed'
    const { channel, keys = 0, key } = asked?.[place] ?? {}
    if (channel === undefined) step.note(word, { ...about, ...outcome })
    else if (keys > 1 && key) step.note(`${word}_with`, { ...about, channel, key, ...outcome })
    else step.note(`${word}_at`, { ...about, channel, ...outcome })
  })
  if (attempts.length === 0) step.note('attempts_none')
  coolings(facts, step)
  for (const way of known?.ways ?? []) {
    if (way !== 'allow_model') step.way(way)
  }
  return step.done({ explaining: [...Object.values(keyWords).flat(), 'record_failed'] })
}

/** By the cause of an attempt: of its channel's only key, of one of its keys, of one that it has no more. */
const keyWords: Readonly<Record<string, readonly [NoteWord, NoteWord, NoteWord]>> = {
  upstream_auth: ['channel_key_refused', 'channel_key_refused_one', 'channel_key_refused_former'],
  upstream_quota: ['channel_key_used_up', 'channel_key_used_up_one', 'channel_key_used_up_former'],
}

/** Names the keys that were at fault, each once, to who may know them. */
function keyTrouble({ attempts, asked }: Facts, step: OpenStep): void {
  const named = new Set<string>()
  attempts.forEach(({ cause }, place) => {
    const words = keyWords[cause ?? '']
    const at = asked?.[place]
    if (words === undefined || at === undefined) return
    const { channel, keys, key } = at
    const id = JSON.stringify([channel, key])
    if (named.has(id)) return
    named.add(id)
    const [only, one, former] = words
    if (key === '') {
      step.problem(former, { channel })
      step.way('retry')
    } else if (key !== undefined && keys > 1) {
      step.problem(one, { channel, key })
      step.way('check_one_key', { channel, key })
    } else {
      step.problem(only, { channel })
      step.way('check_key', { channel })
    }
  })
}

/** What cooled down when the request came: users are told only that something did. */
function coolings({ state, coolingOf, asked }: Facts, step: OpenStep): void {
  const cooling = state.cooling ?? []
  if (cooling.length === 0) return
  if (asked === undefined) step.note('cooling_then')
  else for (const one of cooling) step.note(...coolingNote(one, coolingOf(one)))
}

function coolingNote(
  { model, cause, since }: NonNullable<StateThen['cooling']>[number],
  { channel, key }: ReturnType<Facts['coolingOf']>,
): readonly [NoteWord, Params] {
  const about = { channel, cause, since_at: new Date(since).toISOString() }
  if (key) return ['cooling_then_key', { ...about, key }]
  return model === ''
    ? ['cooling_then_channel', about]
    : ['cooling_then_model', { ...about, model }]
}
