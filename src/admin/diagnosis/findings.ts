import { formatNano } from '../../billing/money.ts'
import type { OpenStep, Params } from './open-step.ts'
import type { NoteWord, WayWord } from './schema.ts'

/** Something that refuses requests; its word with `_then` says that it was so and is not any more. */
export interface Finding {
  readonly word: NoteWord
  readonly params: Params
  readonly way: WayWord
  readonly wayParams?: Params
}

export const pastOf = (word: NoteWord) => `${word}_then` as NoteWord

/** What was so is a problem of this request; what is so only now is told, with its advice. */
export function tellThenAndNow(
  step: OpenStep,
  then: readonly Finding[],
  now: readonly Finding[],
): void {
  for (const one of then) {
    const still = now.find(({ word }) => word === one.word)
    const isSame = JSON.stringify(still?.params) === JSON.stringify(one.params)
    step.problem(isSame ? one.word : pastOf(one.word), one.params)
    if (still === undefined) step.way('retry')
    else step.way(still.way, still.wayParams)
  }
  for (const { word, params, way, wayParams } of now) {
    if (step.problems.includes(word)) continue
    step.problemNow(word, params)
    step.way(way, wayParams)
  }
}

/** An amount as sentences have it. */
export const usd = (nano: number): string => formatNano(nano)
