/** An upstream that always gives the same answer, as fast as it can; prints its address. */
const body = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'test-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
})
const headers = { 'content-type': 'application/json' }
const server = Bun.serve({
  port: Number(process.argv[2] ?? 0),
  hostname: '127.0.0.1',
  fetch: () => new Response(body, { headers }),
})
console.log(server.url.origin)
