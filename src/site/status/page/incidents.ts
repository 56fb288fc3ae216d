import {
  type AvailabilityFigures,
  type Bar,
  bucketStart,
  failuresOf,
  type MeasuredHour,
  requestsOf,
  windowStart,
} from '../../../catalog/availability.ts'
import { barState, type State } from '../../../look/states.ts'
import { bucketMs } from '../../../store/ports/availability.ts'
import { latestCounts } from '../document.ts'
import { nameHtml } from './group.ts'
import { minuteHtml, percentOf, spanHtml } from './words.ts'
import type { Words } from './words-en.ts'

/** A span of time in which a group was degraded or down. */
export interface Incident extends Bar {
  readonly groupId: number
  readonly startedAt: number
  /** The end of its last hour; null: that hour is the present one. */
  readonly endedAt: number | null
  readonly worst: 'degraded' | 'down'
  /** The present state of a group whose incident continues; null: the incident has ended. */
  readonly now: State | null
}

/**
 * Incidents of a group, latest first: consecutive hours that were degraded or down. A current one may be
 * known by its last minutes only. An hour without requests ends one.
 */
export function incidentsOf(
  groupId: number,
  state: State,
  figures: Pick<AvailabilityFigures, 'hours' | 'counts'>,
  nowMs: number,
): readonly Incident[] {
  const thisHour = bucketStart('hour', nowMs)
  const hours = figures.hours(groupId).filter(({ startedAt }) => startedAt <= thisHour)
  const isBad = state === 'degraded' || state === 'down'
  const isQuiet = hours.at(-1)?.startedAt !== thisHour
  // Until the present hour has figures, the one before decides.
  const openFrom = isBad && isQuiet ? thisHour - bucketMs.hour : thisHour
  const spans = spansOf(hours).map((span): Incident => {
    const isOpen = span.endedAt > openFrom
    return { groupId, ...span, endedAt: isOpen ? null : span.endedAt, now: isOpen ? state : null }
  })
  const isTold = spans.some(({ endedAt }) => endedAt === null)
  if (!isBad || isTold) return spans.reverse()
  const { window, counts } = latestCounts((name) => figures.counts(name, groupId))
  const latest: Incident = {
    ...{ groupId, startedAt: windowStart(window, nowMs), endedAt: null, worst: state, now: state },
    ...{ requests: requestsOf(counts), failed: failuresOf(counts) },
  }
  return [latest, ...spans.reverse()]
}

interface Span extends Bar {
  readonly startedAt: number
  readonly endedAt: number
  readonly worst: 'degraded' | 'down'
}

function spansOf(hours: readonly MeasuredHour[]): Span[] {
  const spans: Span[] = []
  for (const hour of hours) {
    const state = barState(hour)
    if (state !== 'degraded' && state !== 'down') continue
    const last = spans.at(-1)
    const joined = last?.endedAt === hour.startedAt ? last : undefined
    if (joined) spans.pop()
    spans.push({
      startedAt: joined?.startedAt ?? hour.startedAt,
      endedAt: hour.startedAt + bucketMs.hour,
      worst: joined?.worst === 'down' ? 'down' : state,
      requests: hour.requests + (joined?.requests ?? 0),
      failed: hour.failed + (joined?.failed ?? 0),
    })
  }
  return spans
}

const listedIncidents = 10

interface IncidentParts {
  readonly incidents: readonly Incident[]
  readonly nameOf: (groupId: number) => string
  readonly since: number
  readonly words: Words
}

/** The latest incidents, current ones first. */
export function incidentsHtml({ incidents, nameOf, since, words }: IncidentParts): string {
  const from = minuteHtml(since, words)
  const title = `<h2 id="incidents">${words.incidents}</h2>`
  if (incidents.length === 0) return `${title}<p>${words.noIncidents(from)}</p>`
  const sorted = [...incidents].sort(latestFirst)
  const listed = sorted.slice(0, listedIncidents).map((one) => {
    const name = `<a href="#g${one.groupId}">${nameHtml(nameOf(one.groupId))}</a>`
    return incidentHtml(one, name, words)
  })
  const left = sorted.length - listed.length
  const more = left > 0 ? `<p>${words.moreIncidents(left)}</p>` : ''
  return `${title}<p>${words.incidentsSince(from)}</p>${listed.join('')}${more}`
}

const latestFirst = (a: Incident, b: Incident) =>
  Number(a.endedAt !== null) - Number(b.endedAt !== null) || b.startedAt - a.startedAt

function incidentHtml(incident: Incident, name: string, words: Words): string {
  const { startedAt, endedAt, worst, now, failed, requests } = incident
  const word = worst === 'down' ? words.downSpan : words.degradedSpan
  const when =
    endedAt === null
      ? words.since(minuteHtml(startedAt, words))
      : spanHtml(startedAt, endedAt, words)
  const long =
    endedAt === null
      ? words.openNow[now ?? 'no_data']
      : words.hoursLong(Math.round((endedAt - startedAt) / bucketMs.hour))
  return (
    `<div class="e"><div><b>${name}</b> <span class="${worst}">${word}</span></div>` +
    `<small>${when}</small><small>${words.failures(failed, requests)} · ${words.succeeded(percentOf(incident) ?? '')}</small>` +
    `<small>${now === 'degraded' || now === 'down' ? `<b>${long}</b>` : long}</small></div>`
  )
}
