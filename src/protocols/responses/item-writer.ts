import type { AnswerEvent } from '../canonical/event.ts'
import type { JsonObject } from '../protocol.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

type EventOf<Type extends AnswerEvent['type']> = Extract<AnswerEvent, { readonly type: Type }>
export type DeltaEvent = EventOf<
  'text-delta' | 'refusal-delta' | 'reasoning-delta' | 'tool-call-delta'
>
export type EndEvent = EventOf<
  'text-end' | 'refusal-end' | 'reasoning-end' | 'tool-call-end' | 'search-end'
>
export type CallStart = EventOf<'tool-call-start'>

/** Writes one item of an answer for a client; its announcement and its end are written around it. */
export interface ItemWriter {
  delta(event: DeltaEvent): string
  /** A block's end. A message may have more of them. */
  end(event: EndEvent): string
  /** The item as it stands. */
  item(status: ItemStatus): JsonObject
}

/** Where an item stands in the output. */
export interface ItemPlace {
  readonly item_id: string
  readonly output_index: number
}
