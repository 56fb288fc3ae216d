import { someOf } from '../../support/rounds.ts'
import { allDialects, type Dialect } from '../dialects.ts'
import type { Ends, Fault } from './fault.ts'

/** One channel with the fault; one before two that are well; three that all have it. */
export const settings = ['one', 'three', 'all'] as const
export type Setting = (typeof settings)[number]

/** One row of the scenario table. */
export interface Row {
  readonly faultName: string
  readonly fault: Fault
  readonly dialect: Dialect
  readonly isStreamed: boolean
  readonly setting: Setting
  readonly ends: Ends
  /** The model that only this row asks for. */
  readonly model: string
}

/**
 * Every fault, in every protocol that has it, streamed and not, in every setting; but of what is the same for
 * streams each setting once, in all runs that are not long.
 */
export function rowsOf(faults: Readonly<Record<string, Fault>>): readonly Row[] {
  return Object.entries(faults).flatMap(([faultName, fault]) =>
    dialectsOf(fault).flatMap((dialect) =>
      [false, true].flatMap((isStreamed) => {
        const ends = isStreamed ? fault.streamed : fault.whole
        if (ends === null) return []
        const isOnce = fault.whole === fault.streamed
        const first = settings.filter((one) => !isOnce || (one === 'three') === isStreamed)
        const others = settings.filter((one) => !first.includes(one))
        const chosen = someOf([...first, ...others], first.length)
        return chosen.map((setting): Row => {
          const way = isStreamed ? 'streamed' : 'whole'
          const model = `${faultName}.${dialect.name}.${way}.${setting}`
          return { faultName, fault, dialect, isStreamed, setting, ends, model }
        })
      }),
    ),
  )
}

const dialectsOf = ({ protocols }: Fault) =>
  allDialects.filter(({ name }) => protocols?.includes(name) !== false)

/** Its channels with the fault, each of them its own, in the order in which they are asked. */
export const faultyChannels = ({ model, setting }: Row): readonly string[] =>
  (setting === 'all' ? [1, 2, 3] : [1]).map((place) => `${model}.${place}`)

/** What a row's channels call its model. */
export const upstreamModelOf = ({ fault, model }: Row): string => fault.upstreamModel ?? model

/** What is asked: a conversation of its own, that is bound to no channel, and known by its words. */
export const questionOf = ({ model }: Row, turn: number) => `the question ${turn} of ${model}`
const questionPattern = /the question \d+ of ([\w.-]+)/

/** Which question a request asks, and the row's model; undefined: none of a row's. */
export function askedIn(text: string) {
  const [question, model] = questionPattern.exec(text) ?? []
  return question === undefined ? undefined : { question, model }
}

/** The channels that answer well, for every row that has some. */
export const goodChannels = ['good.1', 'good.2'] as const
