import type { State } from '../figures.ts'

/** How many groups are in each state. */
export type States = Readonly<Record<State, number>>

/** All that the page says, in one language. Names and figures come in as HTML. */
export interface Words {
  /** As browsers call the language. */
  readonly tag: string
  readonly status: string
  readonly states: Readonly<Record<State, string>>
  /** A bar without a failure, and one with a few. */
  readonly bars: { readonly all: string; readonly some: string }
  /** The state of everything, in one sentence. */
  headline(states: States, groups: number): string
  /** Names under a heading, in one line. */
  listed(heading: string, names: readonly string[]): string
  readonly updated: string
  readonly groups: string
  readonly noGroups: string
  readonly hours: string
  readonly days: string
  readonly oldest: { readonly hours: string; readonly days: string }
  readonly latest: { readonly hours: string; readonly days: string }
  readonly lastHour: string
  readonly sevenDays: string
  readonly firstToken: string
  /** In which time answers began: half of them, and 95%. */
  began(half: string, most: string): string
  readonly speed: string
  perSecond(tokens: string): string
  readonly noData: string
  failures(failed: number, requests: number): string
  succeeded(percent: string): string
  requests(requests: number): string
  /** What a row of bars shows, for those who do not see it. */
  chart: {
    readonly hours: string
    readonly days: string
    summary(parts: {
      readonly good: number
      readonly some: number
      readonly degraded: number
      readonly down: number
      readonly empty: number
    }): string
  }
  models(total: number): string
  readonly model: string
  readonly now: string
  readonly shortHours: string
  readonly shortDays: string
  moreModels(left: number): string
  readonly furtherGroups: string
  readonly furtherAbout: string
  moreGroups(left: number): string
  readonly asJson: string
  readonly incidents: string
  noIncidents(since: string): string
  incidentsSince(since: string): string
  moreIncidents(left: number): string
  readonly degradedSpan: string
  readonly downSpan: string
  readonly openNow: Readonly<Record<State, string>>
  since(time: string): string
  hoursLong(hours: number): string
  readonly measured: string
  readonly explained: readonly string[]
  readonly feed: string
  readonly refresh: string
  readonly everyMinute: string
  readonly never: string
  readonly language: string
  /** `22 Nov 2026`. */
  day(date: Date): string
}
