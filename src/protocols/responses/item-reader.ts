import type { AnswerEvent } from '../canonical/event.ts'
import type { TokenLogprob } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'

/** A part's text, as a vendor tells it: the next piece, or the whole of it. */
export interface Told {
  readonly text: string
  readonly isWhole: boolean
  /** Which of the item's texts: answer and refusal, or summary and reasoning itself. */
  readonly kind: 'text' | 'refusal' | 'summary' | 'content' | 'input'
  /** Place among the item's parts. */
  readonly index: number
  readonly logprobs?: readonly TokenLogprob[] | undefined
}

/** Turns what is told of one item of an answer into events. */
export interface ItemReader {
  /** The item as it was announced; it may also never be. */
  begin(item: JsonObject): void
  tell(told: Told): void
  /** A source, or what is said of a whole part. */
  cite(index: number, annotations: readonly JsonObject[]): void
  /** The end; `item` is the whole, where the vendor tells it. */
  end(item: JsonObject | undefined): void
}

/** Where the readers of one answer put what they read. */
export interface Blocks {
  /** A name for the next block, unique within the answer. */
  nextId(): string
  push(event: AnswerEvent): void
  /** Ends of the reasoning that is open. */
  readonly reasoning: Set<() => void>
  /** Of all calls: clients tell them apart by it. */
  readonly callIds: Set<string>
}

/** Reasoning ends before anything else begins, whether the vendor has said so or not. */
export function endReasoning({ reasoning }: Blocks): void {
  for (const end of reasoning) end()
}
