/** A file of a question, in base64. */
export interface AskedImage {
  readonly type: string
  readonly data: string
}

/** What was asked before, and what the model said to it. */
export interface AskedTurn {
  readonly user: string
  readonly images: readonly AskedImage[]
  readonly assistant: string
}

/** A question to a model. */
export interface Asked {
  readonly protocol: 'chat' | 'responses' | 'messages' | 'gemini'
  readonly model: string
  readonly system: string
  readonly user: string
  readonly stream: boolean
  /** Null: as many as the model likes. */
  readonly maxTokens: number | null
  /** Absent or null: the model's own. */
  readonly temperature?: number | null
  readonly images?: readonly AskedImage[]
  /** Earlier turns of the conversation, oldest first. */
  readonly earlier?: readonly AskedTurn[]
}

/** Messages can't be asked without a limit. */
const usualMaxTokens = 1024

/** The question in the words of its protocol. */
export const bodyOf = (question: Asked): object => bodies[question.protocol](question)

const bodies: Readonly<Record<Asked['protocol'], (question: Asked) => object>> = {
  chat: ({ model, system, stream, maxTokens, temperature, ...turns }) => ({
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...spoken(turns, (text, images) => [
        { type: 'text', text },
        ...images.map((image) => ({ type: 'image_url', image_url: { url: dataUrl(image) } })),
      ]),
    ],
    ...given({ temperature }),
    ...(maxTokens !== null && { max_completion_tokens: maxTokens }),
    ...(stream && { stream, stream_options: { include_usage: true } }),
  }),
  responses: ({ model, system, stream, maxTokens, temperature, ...turns }) => {
    const input = spoken(turns, (text, images) => [
      { type: 'input_text', text },
      ...images.map((image) => ({ type: 'input_image', image_url: dataUrl(image) })),
    ])
    const [only, ...rest] = input
    return {
      model,
      ...(system !== '' && { instructions: system }),
      input: rest.length === 0 && typeof only?.content === 'string' ? only.content : input,
      ...given({ temperature }),
      ...(maxTokens !== null && { max_output_tokens: maxTokens }),
      ...(stream && { stream }),
    }
  },
  messages: ({ model, system, stream, maxTokens, temperature, ...turns }) => ({
    model,
    max_tokens: maxTokens ?? usualMaxTokens,
    ...(system !== '' && { system }),
    messages: spoken(turns, (text, images) => [
      ...images.map(({ type, data }) => ({
        ...{ type: 'image', source: { type: 'base64', media_type: type, data } },
      })),
      { type: 'text', text },
    ]),
    ...given({ temperature }),
    ...(stream && { stream }),
  }),
  gemini: ({ system, maxTokens, temperature, earlier = [], user, images = [] }) => {
    const config = { ...given({ temperature }), ...given({ maxOutputTokens: maxTokens }) }
    const parts = (text: string, files: readonly AskedImage[]) => [
      { text },
      ...files.map(({ type, data }) => ({ inlineData: { mimeType: type, data } })),
    ]
    return {
      ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
      contents: [
        ...earlier.flatMap((turn) => [
          { role: 'user', parts: parts(turn.user, turn.images) },
          { role: 'model', parts: [{ text: turn.assistant }] },
        ]),
        { role: 'user', parts: parts(user, images) },
      ],
      ...(Object.keys(config).length > 0 && { generationConfig: config }),
    }
  },
}

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly object[]
}

/** All that was said, the question last; a text without images is written as such. */
function spoken(
  { earlier = [], user, images = [] }: Pick<Asked, 'earlier' | 'user' | 'images'>,
  parts: (text: string, images: readonly AskedImage[]) => readonly object[],
): readonly Message[] {
  const said = (text: string, files: readonly AskedImage[]): Message => ({
    role: 'user',
    content: files.length === 0 ? text : parts(text, files),
  })
  return [
    ...earlier.flatMap((turn): readonly Message[] => [
      said(turn.user, turn.images),
      { role: 'assistant', content: turn.assistant },
    ]),
    said(user, images),
  ]
}

/** The image as an address. */
export const dataUrl = ({ type, data }: AskedImage): string => `data:${type};base64,${data}`

/** What is given at all. */
const given = (values: { readonly [name: string]: number | null | undefined }) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'number'))
