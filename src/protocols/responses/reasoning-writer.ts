import type { WriteEvent } from './event-writer.ts'
import type { ItemPlace, ItemWriter } from './item-writer.ts'

/**
 * Writes a reasoning item: its text is a summary of one part, and its signature is the encrypted
 * content, whether the client has asked for it or not: nothing else brings the reasoning back.
 */
export function createReasoningWriter(place: ItemPlace, emit: WriteEvent): ItemWriter {
  const at = { ...place, summary_index: 0 }
  let text = ''
  let signature: string | undefined

  return {
    delta(event) {
      const part = { type: 'summary_text', text: '' }
      const opened =
        text === '' ? emit('response.reasoning_summary_part.added', { ...at, part }) : ''
      text += event.text
      return opened + emit('response.reasoning_summary_text.delta', { ...at, delta: event.text })
    },
    end(event) {
      if (event.type === 'reasoning-end') signature = event.signature
      if (text === '') return ''
      const part = { type: 'summary_text', text }
      return (
        emit('response.reasoning_summary_text.done', { ...at, text }) +
        emit('response.reasoning_summary_part.done', { ...at, part })
      )
    },
    item() {
      const summary = text === '' ? [] : [{ type: 'summary_text', text }]
      const item = { id: place.item_id, type: 'reasoning', summary }
      return signature === undefined ? item : { ...item, encrypted_content: signature }
    },
  }
}
