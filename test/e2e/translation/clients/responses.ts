import OpenAI from 'openai'
import { standardTextFormat } from 'openai/helpers/standard-schema'
import { place, placeSchema } from '../../sdk-support.ts'
import {
  type Content,
  connected,
  faultOf,
  type Result,
  type Shown,
  toolDescription,
  toolName,
  type Wish,
} from './client.ts'

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>
type Answer = Pick<OpenAI.Responses.Response, 'model' | 'output' | 'output_text' | 'usage'> &
  Pick<OpenAI.Responses.Response, 'status' | 'incomplete_details'> & {
    readonly output_parsed?: unknown
  }

/** What the SDK gives instead of throwing: a response that has failed. */
class ResponseFailed extends Error {}

/** OpenAI's SDK, responses that nobody keeps: all output items go back as they came. */
export const createResponsesClient = connected('responses', ({ url, key }, line) => {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0, fetch: line.fetch })
  const { responses } = openai

  async function ask(body: Body, { stream: isStream, headers = {}, signal, onText }: Wish) {
    const options = { headers, ...(signal && { signal }) }
    if (!isStream) return await responses.parse(body, options)
    const stream = responses.stream(body, options)
    if (onText) stream.on('response.output_text.delta', ({ delta }) => onText(delta))
    const final = await stream.finalResponse()
    if (final.status === 'failed') throw new ResponseFailed(final.error?.message)
    return final
  }

  return {
    protocol: 'responses',
    line,
    ends: {
      stop: 'completed',
      'stop-sequence': 'completed',
      length: 'incomplete: max_output_tokens',
      calls: 'completed',
    },
    faults: {
      400: 'BadRequestError',
      429: 'RateLimitError',
      502: 'InternalServerError',
      inside: 'APIError',
    },
    hint: 'truncation',
    stop: undefined,
    sequential: 'parallel_tool_calls',
    sees: (counts) => counts,
    fault: (error) => faultOf(error, error instanceof OpenAI.APIError && error.status),
    open(first, wish) {
      let model = first
      const input: OpenAI.Responses.ResponseInputItem[] = []
      let last: Answer | undefined
      async function send() {
        last = await ask({ model, ...settings(wish), input }, wish)
        input.push(...(last.output as OpenAI.Responses.ResponseInputItem[]))
        return shown(last)
      }
      return {
        move(next) {
          model = next
        },
        say(...content) {
          input.push({ role: 'user', content: content.map(partOf) })
          return send()
        },
        results(...given) {
          const calls = last?.output.filter((item) => item.type === 'function_call') ?? []
          const results = calls.map(({ call_id }, index) => ({
            type: 'function_call_output' as const,
            call_id,
            output: outputOf(given[index] ?? ''),
          }))
          input.push(...results)
          return send()
        },
      }
    },
    async count(model, text, wish) {
      const { tools, instructions } = settings(wish)
      const body = { model, input: text, tools: tools ?? null, instructions: instructions ?? null }
      return (await responses.inputTokens.count(body)).input_tokens
    },
  }
})

function settings(wish: Wish): Omit<Body, 'model' | 'input'> {
  const { toolChoice } = wish
  return {
    store: false,
    ...(wish.system && { instructions: wish.system }),
    ...(wish.maxTokens && { max_output_tokens: wish.maxTokens }),
    ...(wish.temperature && { temperature: wish.temperature }),
    ...(wish.tools && {
      tools: [
        {
          type: 'function',
          name: toolName,
          description: toolDescription,
          parameters: placeSchema,
          strict: false,
        },
      ],
    }),
    ...(toolChoice && {
      tool_choice:
        typeof toolChoice === 'string' ? toolChoice : { type: 'function', ...toolChoice },
    }),
    ...(wish.sequential && { parallel_tool_calls: false }),
    ...(wish.schema && { text: { format: standardTextFormat(place, 'place') } }),
    ...(wish.reasoning && {
      reasoning: { effort: 'low', ...(wish.reasoning === 'shown' && { summary: 'auto' }) },
      include: ['reasoning.encrypted_content'],
    }),
    ...(wish.hint && { truncation: 'auto' }),
  }
}

function partOf(content: Content): OpenAI.Responses.ResponseInputContent {
  if (typeof content === 'string') return { type: 'input_text', text: content }
  const image_url = 'url' in content ? content.url : `data:image/png;base64,${content.data}`
  return { type: 'input_image', image_url, detail: 'auto' }
}

function outputOf(result: Result): string | OpenAI.Responses.ResponseInputImageContent[] {
  if (typeof result === 'string') return result
  return [{ type: 'input_image', image_url: `data:image/png;base64,${result.data}` }]
}

function shown(answer: Answer): Shown {
  const { model, output, usage, status, incomplete_details: details } = answer
  const content = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const summaries = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
  const cacheRead = usage?.input_tokens_details.cached_tokens ?? 0
  const cacheWrite = usage?.input_tokens_details.cache_write_tokens ?? 0
  return {
    model,
    text: answer.output_text,
    reasoning: summaries.map(({ text }) => text).join('\n\n'),
    refusal: content.map((part) => (part.type === 'refusal' ? part.refusal : '')).join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]
        : [],
    ),
    finish: [status, ...(details?.reason ? [details.reason] : [])].join(': '),
    usage: {
      input: (usage?.input_tokens ?? 0) - cacheRead - cacheWrite,
      cacheRead,
      cacheWrite,
      output: usage?.output_tokens ?? 0,
      reasoning: usage?.output_tokens_details.reasoning_tokens ?? 0,
    },
    parsed: answer.output_parsed ?? undefined,
  }
}
