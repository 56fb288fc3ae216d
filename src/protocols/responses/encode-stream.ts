import type { EncodeContext, StreamEncoder } from '../canonical/codec.ts'
import type { AnswerEvent, StartEvent } from '../canonical/event.ts'
import type { FinishReason } from '../canonical/response.ts'
import { type ResponseFacts, responseEnd, responseObject, toldUsage } from './encode-answer.ts'
import { encodeFailedEvents, failedError } from './errors.ts'
import { createEventWriter, createOutputWriter } from './item-writers.ts'

type EndEvent = Extract<AnswerEvent, { readonly type: 'end' }>

/**
 * Writes a response as a stream. Its errors come by `fail`: the words of an upstream are not for
 * clients as they are. Images have no place in an answer of this protocol.
 */
export function createResponsesEncoder(context: EncodeContext): StreamEncoder {
  const emit = createEventWriter()
  const output = createOutputWriter(context, emit)
  const order = createBlockOrder((event) => output.write(event))
  let head: StartEvent | undefined
  let reason: FinishReason = 'other'
  let hasRefusal = false
  let isOver = false

  const response = (facts: ResponseFacts) => {
    return { response: responseObject(context, { createdAt: head?.createdAt, ...facts }) }
  }

  function begin(start: StartEvent): string {
    if (head !== undefined) return ''
    head = start
    const begun = response({ status: 'in_progress', output: [] })
    return emit('response.created', begun) + emit('response.in_progress', begun)
  }

  function finish({ usage: last, serviceTier = 'default' }: EndEvent): string {
    const end = responseEnd(reason, hasRefusal)
    const blocks = order.end()
    const closed = output.close(end.status === 'completed' ? 'completed' : 'incomplete')
    isOver = true
    const usage = toldUsage(last ?? head?.usage, context)
    const facts = { ...end, output: output.items(), usage, serviceTier }
    const whole = response(facts)
    context.own?.keep?.(whole.response)
    return blocks + closed + emit(`response.${end.status}`, whole)
  }

  return {
    push(event) {
      if (isOver) return ''
      switch (event.type) {
        case 'start':
          return begin(event)
        case 'finish':
          if (event.choice === 0) reason = event.reason
          return ''
        case 'end':
          return begin({ type: 'start' }) + finish(event)
        case 'image':
        case 'error':
          return ''
        default:
          if (event.type === 'refusal-start' && event.choice === 0) hasRefusal = true
          return begin({ type: 'start' }) + order.push(event)
      }
    },
    fail(error) {
      if (isOver) return ''
      const begun = begin({ type: 'start' })
      isOver = true
      // What has come of the answer stays: clients keep it, and it is charged.
      const failed = {
        status: 'failed',
        error: failedError(error),
        output: output.items(),
      } as const
      return begun + encodeFailedEvents(error, response(failed).response, emit)
    },
  }
}

type BlockEvent = Extract<
  AnswerEvent,
  { readonly id: string; readonly type: `${string}-${string}` }
>
type BlockStart = Extract<BlockEvent, { readonly choice: number }>

/** Puts blocks that overlap one after the other: the first goes on at once, the others wait. */
interface BlockOrder {
  push(event: BlockEvent): string
  /** Ends all that is open. */
  end(): string
}

/** `write` gets each block whole before the next one begins. Answers beside the first are left out. */
function createBlockOrder(write: (event: BlockEvent) => string): BlockOrder {
  const waiting = new Map<string, BlockEvent[]>()
  let open: BlockStart | undefined

  /** The blocks behind the one that ended, up to the first that is not whole. */
  function writeNext(): string {
    let text = ''
    open = undefined
    for (const [id, events] of waiting) {
      waiting.delete(id)
      for (const event of events) {
        text += write(event)
        if (isStart(event)) open = event
        // What comes behind a block's end belongs to nothing.
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
    push(event) {
      if (isStart(event)) {
        if (event.choice !== 0) return ''
        if (open !== undefined) {
          waiting.set(event.id, [event])
          return ''
        }
        open = event
        return write(event)
      }
      if (event.id !== open?.id) {
        waiting.get(event.id)?.push(event)
        return ''
      }
      const text = write(event)
      return isEnd(event) ? text + writeNext() : text
    },
    end() {
      let text = ''
      while (open !== undefined) text += write(endOf(open)) + writeNext()
      return text
    },
  }
}

const isStart = (event: BlockEvent): event is BlockStart => event.type.endsWith('-start')
const isEnd = (event: BlockEvent) => event.type.endsWith('-end')

function endOf({ id, type }: BlockStart): BlockEvent {
  if (type === 'search-start') return { type: 'search-end', id, search: unfinished }
  return { type: `${type.slice(0, -'-start'.length)}-end`, id } as BlockEvent
}

const unfinished = { type: 'search', queries: [], results: [], error: 'unavailable' } as const
