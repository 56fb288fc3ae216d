import { createBlockOrder } from '../canonical/block-order.ts'
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
          // Blocks of other choices are never begun, and so are not written.
          if ('choice' in event && event.choice !== 0) return begin({ type: 'start' })
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
