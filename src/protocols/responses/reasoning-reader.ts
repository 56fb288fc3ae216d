import { stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { Blocks, ItemReader, Told } from './item-reader.ts'
import { createProgress, newInPiece, newInWhole, type Progress } from './progress.ts'
import { summarySeparator, textsIn } from './reasoning-text.ts'

/**
 * Reads a reasoning item: its summary, or else the reasoning itself, is one text. Nothing is said of
 * an item that has neither text nor encrypted content. What comes after its end is a block of its
 * own (T11).
 */
export function createReasoningReader(blocks: Blocks): ItemReader {
  const parts = new Map<number, Progress>()
  let id: string | undefined
  let kind: Told['kind'] | undefined
  let lastIndex: number | undefined
  let itemId: string | undefined
  let signature: string | undefined

  const open = (): string => {
    if (id !== undefined) return id
    id = blocks.nextId()
    blocks.push({ type: 'reasoning-start', id, choice: 0 })
    blocks.reasoning.add(close)
    return id
  }
  const close = () => {
    if (id !== undefined) blocks.push({ type: 'reasoning-end', id, signature, itemId })
    id = undefined
    blocks.reasoning.delete(close)
  }

  function tell(told: Told): void {
    const { text, isWhole, index } = told
    // Some vendors tell the same text as its own summary: whichever came first is followed.
    if (kind !== undefined && kind !== told.kind) return
    const progress = parts.get(index) ?? createProgress()
    parts.set(index, progress)
    const fresh = isWhole ? newInWhole(progress, text) : newInPiece(progress, text)
    if (fresh === '') return
    kind = told.kind
    const isNext = lastIndex !== undefined && lastIndex !== index
    lastIndex = index
    const block = open()
    const next = isNext ? summarySeparator + fresh : fresh
    blocks.push({ type: 'reasoning-delta', id: block, text: next })
  }

  function tellAll(item: JsonObject, from: 'summary' | 'content'): void {
    for (const [index, text] of textsIn(item, from).entries()) {
      tell({ kind: from, text, index, isWhole: true })
    }
  }

  return {
    begin(item) {
      itemId = stringIn(item, 'id')
    },
    tell,
    cite() {},
    end(item) {
      if (item !== undefined) {
        tellAll(item, 'summary')
        tellAll(item, 'content')
        itemId = stringIn(item, 'id') ?? itemId
        signature = stringIn(item, 'encrypted_content')
        if (signature !== undefined) open()
      }
      close()
    },
  }
}
