import { grouped } from '../../../lib/format.ts'
import { stateWords } from '../../../look/states.ts'
import type { States } from './words.ts'

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const one = (number: number, singular: string, plural = `${singular}s`) =>
  `${grouped(number)} ${number === 1 ? singular : plural}`
const are = (number: number) => (number === 1 ? 'is' : 'are')

type BarCounts = Readonly<Record<'good' | 'some' | 'degraded' | 'down' | 'empty', number>>

/** All texts of the page in English. Names and figures come in as HTML. */
export const english = {
  status: 'Status',
  states: stateWords.en,
  bars: { all: 'No failures', some: 'Few failures' },
  headline({ degraded, down, no_data }: States, groups: number): string {
    if (groups === 0) return 'There are no groups'
    if (no_data === groups) return 'No requests were measured in the last hour'
    const of = groups === 1 ? 'The only group' : `${grouped(groups)} groups`
    const part = (number: number) => (groups === 1 ? of : `${grouped(number)} of ${of}`)
    if (down > 0) {
      const more = degraded > 0 ? `, ${grouped(degraded)} ${are(degraded)} degraded` : ''
      return `${part(down)} ${are(down)} down${more}`
    }
    if (degraded > 0) return `${part(degraded)} ${are(degraded)} degraded`
    if (no_data === 0) return 'All groups work'
    return `All groups that were asked work; ${grouped(no_data)} had no requests in the last hour`
  },
  listed: (heading: string, names: readonly string[]) => `${heading}: ${names.join(', ')}`,
  updated: 'Updated',
  groups: 'Groups',
  noGroups: 'The operator has set up no group yet: there is nothing to measure.',
  hours: '24 hours',
  days: '90 days',
  oldest: { hours: '24 hours ago', days: '90 days ago' },
  latest: { hours: 'this hour', days: 'today' },
  lastHour: 'Last hour',
  sevenDays: '7 days',
  firstToken: 'First token',
  began: (half: string, most: string) =>
    `<small>half within</small> ${half}, <small>95% within</small> ${most}`,
  speed: 'Output speed',
  perSecond: (tokens: string) => `${tokens} tokens/s`,
  noData: 'no data',
  never90: 'No request was measured in 90 days.',
  failures: (failed: number, requests: number) =>
    `${grouped(failed)} of ${one(requests, 'request')} failed`,
  succeeded: (percent: string) => `${percent} succeeded`,
  requests: (requests: number) => one(requests, 'request'),
  chart: {
    hours: 'Last 24 hours',
    days: 'Last 90 days',
    /** Describes a row of bars to screen readers. */
    summary: ({ good, some, degraded, down, empty }: BarCounts) =>
      `${good} without failures, ${some} with few failures, ${degraded} degraded, ${down} down, ${empty} without data`,
  },
  models: (total: number) => one(total, 'model'),
  model: 'Model',
  now: 'Now',
  shortHours: '24 h',
  shortDays: '90 d',
  moreModels: (left: number) => `${one(left, 'more model')} ${are(left)} not shown here:`,
  furtherGroups: 'Further groups',
  furtherAbout: 'Their hours, days and models are left out here to keep this page small:',
  moreGroups: (left: number) => `${one(left, 'more group')} ${are(left)} not shown here:`,
  asJson: 'all as JSON',
  incidents: 'Incidents',
  noIncidents: (since: string) => `None measured since ${since}.`,
  incidentsSince: (since: string) => `Since ${since}, latest first.`,
  moreIncidents: (left: number) => `${one(left, 'earlier incident')} ${are(left)} not shown.`,
  degradedSpan: 'degraded',
  downSpan: 'down',
  openNow: {
    operational: 'works again',
    degraded: 'still degraded',
    down: 'still down',
    no_data: 'no requests since',
  },
  since: (time: string) => `since ${time}`,
  hoursLong: (hours: number) => one(hours, 'hour'),
  measured: 'How this is measured',
  explained: [
    'The gateway counts its own requests as they end; nobody writes anything here by hand. Requests that failed by their client’s own fault do not count. Percentages are the part that succeeded, rounded down: 100% means that none failed. Where nothing was measured there is no data, which is not the same as working.',
    'A group’s state is that of the last 5 minutes if they had at least 5 requests, else of the last hour: degraded below 95%, down below 50%. Bars are whole hours and days of UTC by the same measure; the last one has only begun.',
    'Incidents are derived from these counts: each span of consecutive hours in which a group was degraded or down, as far back as hours are kept (35 days). An hour without requests ends one. Where only the last minutes are bad, they are listed until the hour as a whole can tell.',
    'The time to the first token and the output speed are those of streams in the last 24 hours.',
  ],
  refresh: 'This page refreshes:',
  everyMinute: 'every minute',
  never: 'never',
  day: (date: Date) =>
    `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`,
}

export type Words = typeof english
