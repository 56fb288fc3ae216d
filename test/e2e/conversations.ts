import type { Dialect } from './dialects.ts'

/** How a client of each protocol goes on with a conversation: the fields of its next request. */
type NextTurn = (name: string, turn: number) => object

const said = (name: string, turn: number) =>
  Array.from({ length: turn }, (_, at) => [`${name}: question ${at}`, `answer ${at}`] as const)

const plainTurns: NextTurn = (name, turn) => ({
  messages: [
    ...said(name, turn).flatMap(([question, answer]) => [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ]),
    { role: 'user', content: `${name}: question ${turn}` },
  ],
})

/** The conversation is told by what it began with. */
export const nextTurn: Readonly<Record<Dialect['name'], NextTurn>> = {
  chat: plainTurns,
  messages: plainTurns,
  responses: (name, turn) => ({
    input: [
      ...said(name, turn).flatMap(([question, answer]) => [
        { type: 'message', role: 'user', content: question },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer }] },
      ]),
      { type: 'message', role: 'user', content: `${name}: question ${turn}` },
    ],
  }),
  gemini: (name, turn) => ({
    contents: [
      ...said(name, turn).flatMap(([question, answer]) => [
        { role: 'user', parts: [{ text: question }] },
        { role: 'model', parts: [{ text: answer }] },
      ]),
      { role: 'user', parts: [{ text: `${name}: question ${turn}` }] },
    ],
  }),
}

/** The client names it. */
export const hinted: Readonly<
  Record<
    Dialect['name'],
    (name: string) => { readonly body?: object; readonly headers?: Record<string, string> }
  >
> = {
  chat: (name) => ({ body: { prompt_cache_key: name } }),
  responses: (name) => ({ body: { prompt_cache_key: name } }),
  messages: (name) => ({ body: { metadata: { user_id: name } } }),
  gemini: (name) => ({ headers: { session_id: name } }),
}
