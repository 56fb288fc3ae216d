import type { AnswerEvent } from '../canonical/event.ts'
import type { Usage } from '../canonical/usage.ts'

/** Changes the events of one answer on their way to the client. Synchronous, never throws. */
export interface EventFilter {
  push(event: AnswerEvent): readonly AnswerEvent[]
  /** Nothing of what is still to come is for the client, but how it ended and what it used. */
  readonly isCut?: () => boolean
  /** The end of an answer that is cut, whose upstream will not tell it any more. */
  readonly close?: (usage: Usage | undefined) => readonly AnswerEvent[]
}
