import {
  ApiError,
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  HarmBlockThreshold,
  HarmCategory,
  type Part,
} from '@google/genai'
import { parseJsonObject, stringIn } from '../../../../src/protocols/json.ts'
import { collect, placeSchema } from '../../sdk-support.ts'
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

/** Google's SDK: a chat, which keeps its history by itself. */
export const createGeminiClient = connected('gemini', ({ url, key }, line) => {
  const httpOptions = { baseUrl: url, fetch: line.fetch }
  const google = new GoogleGenAI({ apiKey: key, httpOptions })

  return {
    protocol: 'gemini',
    line,
    ends: { stop: 'STOP', 'stop-sequence': 'STOP', length: 'MAX_TOKENS', calls: 'STOP' },
    faults: { 400: 'ApiError', 429: 'ApiError', 502: 'ApiError', inside: 'ApiError' },
    hint: 'safetySettings',
    stop: 'generationConfig.stopSequences',
    sequential: undefined,
    // The vendor has no word for what is written to a cache.
    sees: ({ input, cacheWrite, ...counts }) => ({
      ...counts,
      input: input + cacheWrite,
      cacheWrite: 0,
    }),
    fault(error) {
      if (!(error instanceof ApiError)) return faultOf(error, undefined)
      const told = parseJsonObject(error.message)?.error
      const message = stringIn(told as { message?: string }, 'message')
      return faultOf(error, error.status, message ?? error.message)
    },
    open(model, wish) {
      const config = settings(wish)
      let chat = google.chats.create({ model, config })
      let calls: Shown['calls'] = []
      async function send(message: Part[]) {
        const chunks = wish.stream
          ? await collect(listened(await chat.sendMessageStream({ message }), wish))
          : [await chat.sendMessage({ message })]
        const answer = shown(chunks)
        calls = answer.calls
        return answer
      }
      return {
        move(next) {
          chat = google.chats.create({ model: next, config, history: chat.getHistory(true) })
        },
        say: (...content) => send(content.map(partOf)),
        results: (...given) =>
          send(
            calls.map(({ id, name }, index) => ({
              functionResponse: { id, name, ...responseOf(given[index] ?? '') },
            })),
          ),
      }
    },
    count: async (model, text) =>
      (await google.models.countTokens({ model, contents: text })).totalTokens,
  }
})

async function* listened(stream: AsyncIterable<GenerateContentResponse>, { onText }: Wish) {
  for await (const chunk of stream) {
    for (const { text } of chunk.candidates?.[0]?.content?.parts ?? []) if (text) onText?.(text)
    yield chunk
  }
}

function settings(wish: Wish): GenerateContentConfig {
  const { toolChoice } = wish
  const parametersJsonSchema = placeSchema
  return {
    ...(wish.system && { systemInstruction: wish.system }),
    ...(wish.maxTokens && { maxOutputTokens: wish.maxTokens }),
    ...(wish.temperature && { temperature: wish.temperature }),
    ...(wish.stop && { stopSequences: [...wish.stop] }),
    ...(wish.tools && {
      tools: [
        {
          functionDeclarations: [
            { name: toolName, description: toolDescription, parametersJsonSchema },
          ],
        },
      ],
    }),
    ...(toolChoice && { toolConfig: { functionCallingConfig: choiceOf(toolChoice) } }),
    ...(wish.schema && {
      responseMimeType: 'application/json',
      responseJsonSchema: placeSchema,
    }),
    ...(wish.reasoning && {
      thinkingConfig: {
        thinkingBudget: 2048,
        ...(wish.reasoning === 'shown' && { includeThoughts: true }),
      },
    }),
    ...(wish.hint && {
      safetySettings: [
        {
          category: HarmCategory.HARM_CATEGORY_HARASSMENT,
          threshold: HarmBlockThreshold.BLOCK_NONE,
        },
      ],
    }),
    ...(wish.signal && { abortSignal: wish.signal }),
    ...(wish.headers && { httpOptions: { headers: wish.headers } }),
  }
}

function choiceOf(choice: NonNullable<Wish['toolChoice']>) {
  const { ANY, AUTO, NONE } = FunctionCallingConfigMode
  if (typeof choice !== 'string') return { mode: ANY, allowedFunctionNames: [choice.name] }
  return { mode: { auto: AUTO, none: NONE, required: ANY }[choice] }
}

function partOf(content: Content): Part {
  if (typeof content === 'string') return { text: content }
  return 'url' in content
    ? { fileData: { fileUri: content.url, mimeType: 'image/png' } }
    : { inlineData: { data: content.data, mimeType: 'image/png' } }
}

function responseOf(result: Result) {
  if (typeof result === 'string') return { response: { output: result } }
  return { response: {}, parts: [{ inlineData: { mimeType: 'image/png', data: result.data } }] }
}

function shown(chunks: readonly GenerateContentResponse[]): Shown {
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
  const textOf = (isThought: boolean) =>
    parts.map(({ text, thought }) => ((thought ?? false) === isThought ? text : '')).join('')
  const usage = chunks.at(-1)?.usageMetadata ?? {}
  const { cachedContentTokenCount: cacheRead = 0, thoughtsTokenCount: reasoning = 0 } = usage
  return {
    model: chunks[0]?.modelVersion,
    text: textOf(false),
    reasoning: textOf(true),
    refusal: '',
    calls: parts.flatMap(({ functionCall: call }) =>
      call ? [{ id: call.id ?? '', name: call.name ?? '', input: call.args }] : [],
    ),
    finish: chunks.at(-1)?.candidates?.[0]?.finishReason ?? '',
    usage: {
      input: (usage.promptTokenCount ?? 0) - cacheRead,
      cacheRead,
      cacheWrite: 0,
      output: (usage.candidatesTokenCount ?? 0) + reasoning,
      reasoning,
    },
    parsed: undefined,
  }
}
