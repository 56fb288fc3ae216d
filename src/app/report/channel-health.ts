import { hintsOf } from '../../admin/channels/keys.ts'
import { type FailureClass, failureClasses } from '../../gateway/failures/failures.ts'
import { humanTime, isoTime } from '../../lib/format.ts'
import type { ChannelRow } from '../../store/ports/catalog.ts'
import type { CoolingRow } from '../../store/ports/counters.ts'
import { createKeyMark } from '../channel-care.ts'
import type { Instance } from '../instance.ts'

interface CoolingReport {
  /** The end of the key; null: all keys. Empty: the channel no longer has it. */
  readonly key_hint: string | null
  /** The upstream's model name; null: all models. */
  readonly model: string | null
  readonly cause: string
  readonly why: string
  readonly since: string
  readonly until: string
  /** 0: the next request is the half-open probe. */
  readonly remaining_ms: number
  readonly rounds: number
}

interface ChannelHealthReport {
  readonly name: string
  readonly status: ChannelRow['status']
  readonly sentence: string
  readonly cooling: readonly CoolingReport[]
}

/** The stored health of channels. Opens their keys where one of them cools down. */
export async function channelHealth(
  { store, secrets }: Pick<Instance, 'store' | 'secrets'>,
  channels: readonly ChannelRow[],
  now: number,
): Promise<ChannelHealthReport[]> {
  const rows = await store.health.load()
  const keyMark = createKeyMark(secrets)
  return channels.map((channel) => {
    const own = rows.filter(({ channelId }) => channelId === channel.id)
    const isOfKey = own.some(({ key }) => key !== '')
    const keys = isOfKey ? (JSON.parse(secrets.open(channel.keysSealed)) as readonly string[]) : []
    const hints = hintsOf(keys, keyMark)
    const cooling = own.map((row) => coolingReport(row, hints, now))
    const { name, status } = channel
    return { name, status, sentence: sentenceOf(channel, cooling), cooling }
  })
}

function coolingReport(
  { key, model, cause, since, until, rounds }: CoolingRow,
  hints: ReadonlyMap<string, string>,
  now: number,
): CoolingReport {
  return {
    key_hint: key === '' ? null : (hints.get(key) ?? ''),
    model: model === '' ? null : model,
    cause,
    why: whyOf(cause),
    since: isoTime(since),
    until: isoTime(until),
    remaining_ms: Math.max(0, until - now),
    rounds,
  }
}

/** A cause in words; a newer program may have stored one that is unknown here. */
function whyOf(cause: string): string {
  const classes: { readonly [name: string]: FailureClass } = failureClasses
  const known = Object.hasOwn(classes, cause) ? classes[cause] : undefined
  return known?.why ?? `An attempt failed (${cause}).`
}

const isWhole = ({ key_hint, model }: CoolingReport) => key_hint === null && model === null

function sentenceOf({ name, status }: ChannelRow, cooling: readonly CoolingReport[]): string {
  if (status === 'disabled') return `${name} is disabled: nothing is sent to it.`
  if (status === 'draining')
    return `${name} is draining: what has begun there goes on there, and nothing new is sent to it.`
  if (cooling.length === 0) return `${name} is active, and nothing is known against it.`
  const whole = cooling.find(isWhole)
  if (whole) return `${name} ${verdictOf(whole)}`
  return `${name} is active, but not all of it is well.`
}

/** The report as lines: the channel's sentence, and one for each further cooldown. */
export function describeHealth({ status, sentence, cooling }: ChannelHealthReport): string[] {
  if (status === 'disabled') return [sentence]
  const told = status === 'active' ? cooling.find(isWhole) : undefined
  const parts = cooling.filter((part) => part !== told)
  return [sentence, ...parts.map((part) => `  ${subjectOf(part)} ${verdictOf(part)}`)]
}

function subjectOf({ key_hint, model }: CoolingReport): string {
  const key = key_hint === '' ? 'a key that it no longer has' : `the key ${key_hint}`
  if (model === null) return key_hint === null ? 'All of it' : upperFirst(key)
  return key_hint === null ? `The model ${model}` : `The model ${model} with ${key}`
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `cools down for another 12 s, since 2026-11-21 08:30:12 UTC, 3 times in a row: …` */
function verdictOf({ remaining_ms, since, rounds, why }: CoolingReport): string {
  const verdict =
    remaining_ms > 0
      ? `cools down for another ${humanWait(remaining_ms)}`
      : 'is half-open after its cooldown: the next request tries it'
  const often = rounds > 1 ? `, ${rounds} times in a row` : ''
  return `${verdict}, since ${humanTime(since)}${often}: ${why}`
}

/** Rounded up: `12 s`, `5 min`, `2 h`. */
function humanWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds <= 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
