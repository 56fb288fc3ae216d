/** A call of the model, as its client knows it. */
export interface Call {
  readonly id: string
  readonly name: string
}

/** A coding agent, which sends all that was said again with each turn. */
export interface Agent {
  readonly name: string
  readonly path: string
  /** The next request. */
  body(): object
  /** Takes an answer in, and gives the calls in it. */
  heard(answer: unknown): readonly Call[]
  /** The calls were made. */
  did(results: readonly (Call & { readonly text: string })[]): void
}

/** Some 20 kB, as agents have it. */
const instructions = 'Read a file before you change it, and say what you have done. '.repeat(320)
const task = 'Correct the spelling in all files.'
const parameters = {
  type: 'object',
  properties: { path: { type: 'string', description: 'Where it is' } },
  required: ['path'],
}
const tools = ['read_file', 'write_file', 'list_files', 'run'].map((name) => ({
  name,
  description: `The tool ${name}. ${'It works within the folder only. '.repeat(60)}`,
  parameters,
}))

type Json = Record<string, unknown>

/** Cline and its like. */
export function chatAgent(model: string): Agent {
  const messages: Json[] = [
    { role: 'system', content: instructions },
    { role: 'user', content: task },
  ]
  return {
    name: 'chat',
    path: '/v1/chat/completions',
    body: () => ({
      ...{ model, messages, tools: tools.map((tool) => ({ type: 'function', function: tool })) },
      ...{ stream: false, temperature: 0, max_completion_tokens: 8_000 },
    }),
    heard(answer) {
      const { choices } = answer as { choices: { message: Json & { tool_calls?: Json[] } }[] }
      const { message } = choices[0] as (typeof choices)[0]
      messages.push({ role: 'assistant', content: message.content, tool_calls: message.tool_calls })
      return (message.tool_calls ?? []).map(({ id, function: called }) => ({
        id: String(id),
        name: (called as Call).name,
      }))
    },
    did(results) {
      for (const { id, text } of results) {
        messages.push({ role: 'tool', tool_call_id: id, content: text })
      }
    },
  }
}

/** Codex. */
export function responsesAgent(model: string): Agent {
  const said = (role: string, text: string) => ({
    ...{ type: 'message', role, content: [{ type: 'input_text', text }] },
  })
  const input: Json[] = [
    said('developer', 'The folder is /home/me/work.'),
    said('user', '<environment_context>bash</environment_context>'),
    said('user', task),
  ]
  return {
    name: 'responses',
    path: '/v1/responses',
    body: () => ({
      ...{ model, instructions, input, stream: false, store: false, parallel_tool_calls: true },
      tools: tools.map((tool) => ({ type: 'function', strict: false, ...tool })),
      tool_choice: 'auto',
      ...{
        reasoning: { effort: 'high', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
      },
      prompt_cache_key: '0199-the-session',
    }),
    heard(answer) {
      const { output } = answer as { output: Json[] }
      input.push(...output.map(({ id: _, status: __, ...item }) => item))
      return output
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id, name }) => ({ id: String(call_id), name: String(name) }))
    },
    did(results) {
      for (const { id, text } of results) {
        input.push({ type: 'function_call_output', call_id: id, output: text })
      }
    },
  }
}

/** Gemini CLI. */
export function geminiAgent(model: string): Agent {
  const contents: Json[] = [
    { role: 'user', parts: [{ text: 'The folder is /home/me/work.' }] },
    { role: 'model', parts: [{ text: 'Got it.' }] },
    { role: 'user', parts: [{ text: task }] },
  ]
  return {
    name: 'gemini',
    path: `/v1beta/models/${model}:generateContent`,
    body: () => ({
      contents,
      systemInstruction: { role: 'user', parts: [{ text: instructions }] },
      tools: [{ functionDeclarations: tools }],
      generationConfig: { temperature: 1, thinkingConfig: { includeThoughts: true } },
    }),
    heard(answer) {
      const { candidates } = answer as { candidates: { content: { parts: Json[] } }[] }
      const { content } = candidates[0] as (typeof candidates)[0]
      // Thoughts that were shown are not sent back; their signatures, on the calls, are.
      contents.push({ role: 'model', parts: content.parts.filter(({ thought }) => !thought) })
      return content.parts.flatMap(({ functionCall }) =>
        functionCall === undefined ? [] : [functionCall as unknown as Call],
      )
    },
    did(results) {
      const parts = results.map(({ id, name, text }) => ({
        functionResponse: { id, name, response: { output: text } },
      }))
      contents.push({ role: 'user', parts })
    },
  }
}
