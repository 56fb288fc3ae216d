import OpenAI from 'openai'
import { standardResponseFormat } from 'openai/helpers/standard-schema'
import { place, placeSchema } from '../../sdk-support.ts'
import {
  type Content,
  connected,
  faultOf,
  type Shown,
  toolDescription,
  toolName,
  type Wish,
} from './client.ts'

type Message = OpenAI.Chat.ChatCompletionMessage & { readonly parsed?: unknown }
type Body = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, 'stream'>

/** OpenAI's SDK, chat completions: the last message goes back as it came. */
export const createChatClient = connected('chat', ({ url, key }, line) => {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0, fetch: line.fetch })
  const { completions } = openai.chat

  async function ask(body: Body, wish: Wish) {
    const { headers = {}, signal, onText } = wish
    const options = { headers, ...(signal && { signal }) }
    if (!wish.stream) {
      return await (wish.schema
        ? completions.parse(body, options)
        : completions.create(body, options))
    }
    const stream = completions.stream({ ...body, stream_options: { include_usage: true } }, options)
    if (onText) stream.on('content', onText)
    return await stream.finalChatCompletion()
  }

  return {
    protocol: 'chat',
    line,
    ends: { stop: 'stop', 'stop-sequence': 'stop', length: 'length', calls: 'tool_calls' },
    faults: {
      400: 'BadRequestError',
      429: 'RateLimitError',
      502: 'InternalServerError',
      inside: 'APIError',
    },
    hint: 'logit_bias',
    stop: 'stop',
    sequential: 'parallel_tool_calls',
    sees: (counts) => counts,
    fault: (error) => faultOf(error, error instanceof OpenAI.APIError && error.status),
    open(first, wish) {
      let model = first
      const messages: OpenAI.Chat.ChatCompletionMessageParam[] = []
      if (wish.system !== undefined) messages.push({ role: 'system', content: wish.system })
      async function send() {
        const completion = await ask({ model, ...settings(wish), messages }, wish)
        const [choice] = completion.choices
        if (choice === undefined) throw new Error('No choice.')
        messages.push(choice.message)
        return shown(completion, choice.message, choice.finish_reason)
      }
      return {
        move(next) {
          model = next
        },
        say(...content) {
          messages.push({ role: 'user', content: content.map(partOf) })
          return send()
        },
        results(...given) {
          const last = messages.at(-1)
          const calls = last?.role === 'assistant' ? (last.tool_calls ?? []) : []
          const results = calls.map(({ id }, index) => ({
            role: 'tool' as const,
            tool_call_id: id,
            content: String(given[index]),
          }))
          messages.push(...results)
          return send()
        },
      }
    },
  }
})

function settings(wish: Wish): Omit<Body, 'model' | 'messages'> {
  const { toolChoice } = wish
  const parameters = placeSchema as unknown as Record<string, unknown>
  return {
    ...(wish.maxTokens && { max_completion_tokens: wish.maxTokens }),
    ...(wish.temperature && { temperature: wish.temperature }),
    ...(wish.stop && { stop: [...wish.stop] }),
    ...(wish.tools && {
      tools: [
        {
          type: 'function',
          function: { name: toolName, description: toolDescription, parameters },
        },
      ],
    }),
    ...(toolChoice && {
      tool_choice:
        typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: toolChoice },
    }),
    ...(wish.sequential && { parallel_tool_calls: false }),
    ...(wish.schema && { response_format: standardResponseFormat(place, 'place') }),
    ...(wish.reasoning && { reasoning_effort: 'low' }),
    ...(wish.hint && { logit_bias: { 50256: -100 } }),
  }
}

function partOf(content: Content): OpenAI.Chat.ChatCompletionContentPart {
  if (typeof content === 'string') return { type: 'text', text: content }
  const url = 'url' in content ? content.url : `data:image/png;base64,${content.data}`
  return { type: 'image_url', image_url: { url } }
}

function shown(
  { model, usage }: Pick<OpenAI.Chat.ChatCompletion, 'model' | 'usage'>,
  message: Message,
  finish: string | null,
): Shown {
  const reasoning = 'reasoning_content' in message ? message.reasoning_content : ''
  const calls = (message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [call] : [],
  )
  const { prompt_tokens_details: details } = usage ?? {}
  const cacheRead = details?.cached_tokens ?? 0
  const cacheWrite = details?.cache_write_tokens ?? 0
  return {
    model,
    text: message.content ?? '',
    reasoning: String(reasoning),
    refusal: message.refusal ?? '',
    calls: calls.map(({ id, function: { name, arguments: input } }) => ({
      id,
      name,
      input: JSON.parse(input),
    })),
    finish: finish ?? '',
    usage: {
      input: (usage?.prompt_tokens ?? 0) - cacheRead - cacheWrite,
      cacheRead,
      cacheWrite,
      output: usage?.completion_tokens ?? 0,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
    parsed: message.parsed ?? undefined,
  }
}
