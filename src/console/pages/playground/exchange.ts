/** The protocols that can be tried. */
export const protocols = ['chat', 'responses', 'messages', 'gemini'] as const
export type ProtocolName = (typeof protocols)[number]

/** What is asked. */
export interface Question {
  readonly token: number
  readonly protocol: ProtocolName
  readonly model: string
  readonly system: string
  readonly user: string
  readonly stream: boolean
  /** Null: as many as the model likes. */
  readonly maxTokens: number | null
}

/** Messages can't be asked without a limit. */
const usualMaxTokens = 1024

/** The question in the words of its protocol. */
export function bodyOf(question: Question): object {
  const { model, system, user, stream, maxTokens } = question
  switch (question.protocol) {
    case 'chat':
      return {
        model,
        messages: [
          ...(system === '' ? [] : [{ role: 'system', content: system }]),
          { role: 'user', content: user },
        ],
        ...(maxTokens !== null && { max_completion_tokens: maxTokens }),
        ...(stream && { stream, stream_options: { include_usage: true } }),
      }
    case 'responses':
      return {
        model,
        ...(system !== '' && { instructions: system }),
        input: user,
        ...(maxTokens !== null && { max_output_tokens: maxTokens }),
        ...(stream && { stream }),
      }
    case 'messages':
      return {
        model,
        max_tokens: maxTokens ?? usualMaxTokens,
        ...(system !== '' && { system }),
        messages: [{ role: 'user', content: user }],
        ...(stream && { stream }),
      }
    case 'gemini':
      return {
        ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
        contents: [{ role: 'user', parts: [{ text: user }] }],
        ...(maxTokens !== null && { generationConfig: { maxOutputTokens: maxTokens } }),
      }
  }
}

/** Where the console asks. */
export function consolePath({ token, protocol, model, stream }: Question): string {
  const query = new URLSearchParams({ token: String(token) })
  if (protocol === 'gemini') {
    query.set('model', model)
    query.set('stream', String(stream))
  }
  return `/api/v1/playground/${protocol}?${query}`
}

/** Where a client would ask the same. */
export function clientPath({ protocol, model, stream }: Question): string {
  const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const paths = {
    chat: '/v1/chat/completions',
    responses: '/v1/responses',
    messages: '/v1/messages',
    gemini: `/v1beta/models/${model}:${action}`,
  }
  return paths[protocol]
}

/** The same question as a command; the key stands in the variable `KEY`. */
export function curlOf(question: Question, address: string): string {
  const json = JSON.stringify(bodyOf(question), null, 2).replaceAll("'", "'\\''")
  const url = (address.replace(/\/+$/, '') + clientPath(question)).replaceAll("'", "'\\''")
  return [
    `curl ${question.stream ? '-N ' : ''}'${url}' \\`,
    '  -H "Authorization: Bearer $KEY" \\',
    ...(question.protocol === 'messages' ? ["  -H 'anthropic-version: 2023-06-01' \\"] : []),
    "  -H 'content-type: application/json' \\",
    `  -d '${json}'`,
  ].join('\n')
}
