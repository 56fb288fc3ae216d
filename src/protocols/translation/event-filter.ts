import type { AnswerEvent } from '../canonical/event.ts'

/** Changes the events of one answer on their way to the client. Synchronous, never throws. */
export interface EventFilter {
  push(event: AnswerEvent): readonly AnswerEvent[]
}
