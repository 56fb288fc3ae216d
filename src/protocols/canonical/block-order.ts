import type { AnswerEvent } from './answer.ts'

export type BlockEvent = Extract<AnswerEvent, { readonly id: string }> & { readonly id: string }
type BlockStart = Extract<BlockEvent, { readonly choice: number }>

export type BlockOrder = ReturnType<typeof createBlockOrder>

/** Serializes overlapping blocks: SDKs take a block as finished when another begins. */
export function createBlockOrder(write: (event: BlockEvent) => string) {
  const waiting = new Map<string, BlockEvent[]>()
  let open: BlockStart | undefined

  function writeNext(): string {
    let text = ''
    open = undefined
    for (const [id, events] of waiting) {
      waiting.delete(id)
      for (const event of events) {
        text += write(event)
        if (isStart(event)) open = event
        // An event after its block's end is ignored.
        if (isEnd(event)) {
          open = undefined
          break
        }
      }
      if (open !== undefined) break
    }
    return text
  }

  return {
    push(event: BlockEvent): string {
      if ('text' in event && event.id === open?.id) return write(event)
      if (isStart(event)) {
        if (open !== undefined) {
          waiting.set(event.id, [event])
          return ''
        }
        open = event
      }
      if (event.id !== open?.id) {
        waiting.get(event.id)?.push(event)
        return ''
      }
      const text = write(event)
      return isEnd(event) ? text + writeNext() : text
    },
    end(): string {
      let text = ''
      while (open !== undefined) text += write(endOf(open)) + writeNext()
      return text
    },
  }
}

const isStart = (event: BlockEvent): event is BlockStart => event.type.endsWith('-start')
const isEnd = ({ type }: BlockEvent) => type.endsWith('-end')

/** `text-start` → `text`. */
export const kindOf = <Kind extends string>(type: `${Kind}-start`): Kind =>
  type.slice(0, -'-start'.length) as Kind

function endOf({ id, type }: BlockStart): BlockEvent {
  if (type === 'search-start') return { type: 'search-end', id, search: unfinished }
  return { type: `${kindOf(type)}-end`, id }
}

const unfinished = { type: 'search', queries: [], results: [], error: 'unavailable' } as const
