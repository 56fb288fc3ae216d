/** What a plain developer writes: `bun test/bench/bare-proxy.ts PORT UPSTREAM`. */
const [port, upstream = ''] = process.argv.slice(2)
const sentOn = ['content-type', 'authorization']
const server = Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  async fetch({ url, method, headers, body }) {
    const sent = sentOn.flatMap((name) => [[name, headers.get(name) ?? ''] as [string, string]])
    const answer = await fetch(upstream + new URL(url).pathname, { method, headers: sent, body })
    const type = answer.headers.get('content-type') ?? 'application/json'
    return new Response(answer.body, { status: answer.status, headers: { 'content-type': type } })
  },
})
console.log(server.url.origin)
