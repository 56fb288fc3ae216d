import { bucketMs } from '../../../store/ports/availability.ts'
import { nameHtml } from './group.ts'
import type { Incident } from './incidents.ts'
import { percentOf } from './text.ts'
import { minuteHtml, spanHtml } from './time.ts'
import type { Words } from './words.ts'

/** So many incidents are shown. */
const listedIncidents = 10

export interface IncidentParts {
  /** Of all groups, in any order. */
  readonly incidents: readonly Incident[]
  /** Name of a group. */
  readonly nameOf: (groupId: number) => string
  /** Since when there could be any. */
  readonly since: number
  readonly words: Words
}

/** The latest incidents, those that go on first. */
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
