import type { AnswerEvent } from '../canonical/event.ts'
import type { JsonObject } from '../protocol.ts'
import { continues, plainReasoning, type ReasoningDetail, readDetails } from './reasoning.ts'

/** Puts the reasoning of one choice together from its pieces. */
export interface ReasoningDecoder {
  /** A delta, which may have none. */
  push(delta: JsonObject): void
  /** A piece of plain text. */
  add(text: string): void
  /** Something else goes on. */
  close(): void
}

/** What a reasoning decoder is given by the decoder of the whole answer. */
export interface ReasoningScene {
  readonly choice: number
  emit(event: AnswerEvent): void
  nextBlock(): string
  /** Called before a stretch of reasoning starts: blocks of other kinds end here. */
  beforeReasoning(): void
}

interface Stretch {
  readonly block: string
  readonly index: number | undefined
  id: string | undefined
  signature: string | undefined
}

/**
 * Vendors send reasoning as plain text, as details, or as both with the same text: what comes first
 * counts, and the details add the signature.
 */
export function createReasoningDecoder(scene: ReasoningScene): ReasoningDecoder {
  let open: Stretch | undefined
  let isPlain = false

  function close(): void {
    if (open === undefined) return
    const { block, signature, id } = open
    open = undefined
    scene.emit({ type: 'reasoning-end', id: block, signature, itemId: id })
  }

  function start(detail: ReasoningDetail | undefined): Stretch {
    close()
    scene.beforeReasoning()
    const block = scene.nextBlock()
    open = { block, index: detail?.index, id: detail?.id, signature: undefined }
    scene.emit({ type: 'reasoning-start', id: block, choice: scene.choice })
    return open
  }

  function add(text: string): void {
    const { block } = open ?? start(undefined)
    scene.emit({ type: 'reasoning-delta', id: block, text })
  }

  function pushDetail(detail: ReasoningDetail): void {
    const text = isPlain ? '' : detail.text
    if (text === '' && detail.signature === undefined) return
    const stretch = open !== undefined && continues(open, detail) ? open : start(detail)
    stretch.id ??= detail.id
    if (text !== '') add(text)
    stretch.signature = detail.signature
  }

  return {
    push(delta) {
      const details = readDetails(delta)
      const plain = plainReasoning(delta)
      if (plain !== undefined && (isPlain || details.every(({ text }) => text === ''))) {
        isPlain = true
        add(plain)
      }
      for (const detail of details) pushDetail(detail)
    },
    add(text) {
      if (text !== '') add(text)
    },
    close,
  }
}
