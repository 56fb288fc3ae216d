import type { EncodeContext } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import type { JsonObject } from '../protocol.ts'
import { createCallWriter } from './call-writer.ts'
import type { WriteEvent } from './event-writer.ts'
import type { CallStart, EndEvent, ItemPlace, ItemStatus, ItemWriter } from './item-writer.ts'
import { createMessageWriter } from './message-writer.ts'
import { ownItemId } from './own-ids.ts'
import { createReasoningWriter } from './reasoning-writer.ts'
import { createSearchWriter } from './search-writer.ts'

/** Writes the items of an answer, from blocks that come one after the other. */
export interface OutputWriter {
  write(event: AnswerEvent): string
  /** Ends the last item, which waits for its end: an answer that was cut tells it there. */
  close(status: ItemStatus): string
  /** All items as they stand. */
  items(): readonly JsonObject[]
}

type Kind = 'message' | 'reasoning' | 'call' | 'search'

/** Item ids as the vendor begins them. */
const prefixes: Readonly<Record<Kind | 'custom', string>> = {
  message: 'msg',
  reasoning: 'rs',
  call: 'fc',
  custom: 'ctc',
  search: 'ws',
}

/** No items yet. An item is announced with the first of its text, so that none is empty. */
export function createOutputWriter(
  { requestId, request, body }: EncodeContext,
  emit: WriteEvent,
): OutputWriter {
  const done: JsonObject[] = []
  let current: { readonly kind: Kind; readonly writer: ItemWriter } | undefined

  const placeOf = (prefix: string): ItemPlace => {
    return { item_id: ownItemId(prefix, requestId, done.length), output_index: done.length }
  }

  function close(status: ItemStatus): string {
    if (current === undefined) return ''
    const item = current.writer.item(status)
    current = undefined
    done.push(item)
    return emit('response.output_item.done', { output_index: done.length - 1, item })
  }

  function open(kind: Kind, create: () => ItemWriter): string {
    const closed = close('completed')
    const writer = create()
    current = { kind, writer }
    const item = writer.item('in_progress')
    return closed + emit('response.output_item.added', { output_index: done.length, item })
  }

  const openCall = (start: CallStart) =>
    open('call', () => {
      const place = placeOf(start.kind === 'custom' ? prefixes.custom : prefixes.call)
      return createCallWriter(start, request.tools, place, emit)
    })
  function openSearch(): string {
    // Whatever was open is closed first: only then the place is known.
    const closed = close('completed')
    const writer = createSearchWriter(placeOf(prefixes.search), emit, body)
    return closed + open('search', () => writer) + writer.begin()
  }
  /** The item for texts, or for reasoning, if it is not there already. */
  const need = (kind: 'message' | 'reasoning') => {
    if (current?.kind === kind) return ''
    const create = kind === 'message' ? createMessageWriter : createReasoningWriter
    return open(kind, () => create(placeOf(prefixes[kind]), emit))
  }

  function endReasoning(event: EndEvent & { readonly type: 'reasoning-end' }): string {
    // Neither text nor signature: nothing is to be told.
    if (current?.kind !== 'reasoning' && event.signature === undefined) return ''
    const opened = need('reasoning')
    return opened + (current?.writer.end(event) ?? '') + close('completed')
  }

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'tool-call-start':
        return openCall(event)
      case 'search-start':
        return openSearch()
      case 'search-end':
        return (current?.writer.end(event) ?? '') + close('completed')
      case 'text-delta':
      case 'refusal-delta':
      case 'reasoning-delta': {
        if (event.text === '') return ''
        const opened = need(event.type === 'reasoning-delta' ? 'reasoning' : 'message')
        return opened + (current?.writer.delta(event) ?? '')
      }
      case 'tool-call-delta':
        return current?.writer.delta(event) ?? ''
      case 'text-end':
      case 'refusal-end':
        return current?.kind === 'message' ? current.writer.end(event) : ''
      case 'tool-call-end':
        return current?.writer.end(event) ?? ''
      case 'reasoning-end':
        return endReasoning(event)
      default:
        return ''
    }
  }

  return {
    write,
    close,
    items: () => (current === undefined ? [...done] : [...done, current.writer.item('incomplete')]),
  }
}
