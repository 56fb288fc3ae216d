import type { Tool } from '../canonical/request.ts'
import type { WriteEvent } from './event-writer.ts'
import type { CallStart, ItemPlace, ItemWriter } from './item-writer.ts'
import { splitName } from './tools.ts'

/** Writes a call of a function or of a custom tool. */
export function createCallWriter(
  { callId, name, kind }: CallStart,
  tools: readonly Tool[],
  place: ItemPlace,
  emit: WriteEvent,
): ItemWriter {
  const isCustom = kind === 'custom'
  const event = isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  const type = isCustom ? 'custom_tool_call' : 'function_call'
  const names = splitName(tools, name)
  let input = ''

  const delta = (text: string): string => {
    input += text
    return text === '' ? '' : emit(`${event}.delta`, { ...place, delta: text })
  }

  return {
    delta: ({ text }) => delta(text),
    end() {
      const rest = input === '' && !isCustom ? delta('{}') : ''
      return (
        rest + emit(`${event}.done`, { ...place, ...(isCustom ? { input } : { arguments: input }) })
      )
    },
    item(status) {
      const item = { id: place.item_id, type, status, call_id: callId, ...names }
      return isCustom ? { ...item, input } : { ...item, arguments: input }
    },
  }
}
