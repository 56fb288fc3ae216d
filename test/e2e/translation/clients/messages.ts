import Anthropic from '@anthropic-ai/sdk'
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema'
import { placeSchema } from '../../sdk-support.ts'
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

type Body = Anthropic.MessageCreateParamsNonStreaming
type Message = Anthropic.Message & { readonly parsed_output?: unknown }

/** Anthropic's SDK: the content of an answer goes back as it came. */
export const createMessagesClient = connected('messages', ({ url, key }, line) => {
  const { messages: api } = new Anthropic({
    baseURL: url,
    apiKey: key,
    maxRetries: 0,
    fetch: line.fetch,
  })

  async function ask(body: Body, { stream: isStream, headers = {}, signal, onText }: Wish) {
    const options = { headers, ...(signal && { signal }) }
    if (!isStream) return await api.parse(body, options)
    const stream = api.stream(body, options)
    if (onText) stream.on('text', onText)
    return await stream.finalMessage()
  }

  return {
    protocol: 'messages',
    line,
    ends: {
      stop: 'end_turn',
      'stop-sequence': 'stop_sequence',
      length: 'max_tokens',
      calls: 'tool_use',
    },
    faults: {
      400: 'BadRequestError',
      429: 'RateLimitError',
      502: 'InternalServerError',
      inside: 'APIError',
    },
    hint: 'system[0].cache_control',
    stop: 'stop_sequences',
    sequential: 'tool_choice.disable_parallel_tool_use',
    sees: (counts) => counts,
    fault: (error) =>
      error instanceof Anthropic.APIError
        ? faultOf(error, error.status, error.apiMessage ?? error.message)
        : faultOf(error, undefined),
    open(first, wish) {
      let model = first
      const messages: Anthropic.MessageParam[] = []
      async function send() {
        const message = await ask({ model, ...settings(wish), messages }, wish)
        messages.push({ role: 'assistant', content: message.content })
        return shown(message)
      }
      return {
        move(next) {
          model = next
        },
        say(...content) {
          messages.push({ role: 'user', content: content.map(blockOf) })
          return send()
        },
        results(...given) {
          const last = messages.at(-1)?.content ?? []
          const calls =
            typeof last === 'string' ? [] : last.filter(({ type }) => type === 'tool_use')
          const results = calls.map((call, index) => ({
            type: 'tool_result' as const,
            tool_use_id: 'id' in call ? String(call.id) : '',
            content: contentOf(given[index] ?? ''),
          }))
          messages.push({ role: 'user', content: results })
          return send()
        },
      }
    },
    async count(model, text, wish) {
      const { tools, system } = settings(wish)
      const body = { model, ...(tools && { tools }), ...(system && { system }) }
      const messages = [{ role: 'user' as const, content: text }]
      return (await api.countTokens({ ...body, messages })).input_tokens
    },
  }
})

function settings(wish: Wish): Omit<Body, 'model' | 'messages'> {
  const { toolChoice, system } = wish
  const cache = wish.hint ? { cache_control: { type: 'ephemeral' as const } } : {}
  return {
    max_tokens: wish.maxTokens ?? 4096,
    ...(system && { system: [{ type: 'text', text: system, ...cache }] }),
    ...(wish.temperature && { temperature: wish.temperature }),
    ...(wish.stop && { stop_sequences: [...wish.stop] }),
    ...(wish.tools && {
      tools: [
        {
          name: toolName,
          description: toolDescription,
          input_schema: { ...placeSchema, required: [...placeSchema.required] },
        },
      ],
    }),
    ...(toolChoice && { tool_choice: choiceOf(toolChoice) }),
    ...(wish.sequential && {
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    }),
    ...(wish.schema && { output_config: { format: jsonSchemaOutputFormat(placeSchema) } }),
    ...(wish.reasoning && { thinking: { type: 'enabled', budget_tokens: 2048 } }),
  }
}

function choiceOf(choice: NonNullable<Wish['toolChoice']>): Anthropic.ToolChoice {
  if (typeof choice !== 'string') return { type: 'tool', ...choice }
  return { type: choice === 'required' ? 'any' : choice }
}

function blockOf(content: Content): Anthropic.ContentBlockParam {
  if (typeof content === 'string') return { type: 'text', text: content }
  if ('url' in content) return { type: 'image', source: { type: 'url', url: content.url } }
  const { data } = content
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
}

function contentOf(result: Result): string | Anthropic.ImageBlockParam[] {
  if (typeof result === 'string') return result
  const { data } = result
  return [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }]
}

function shown({ model, content, usage, stop_reason, parsed_output }: Message): Shown {
  return {
    model,
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    refusal: '',
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    finish: stop_reason ?? '',
    usage: {
      input: usage.input_tokens,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      cacheWrite: usage.cache_creation_input_tokens ?? 0,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
    parsed: parsed_output ?? undefined,
  }
}
