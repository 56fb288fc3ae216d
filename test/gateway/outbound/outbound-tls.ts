/**
 * Run by outbound.test.ts in a process that trusts the tests' certificate authority: a server with
 * the certificate of media.test, and calls to it by several names. Prints what came of each.
 */
import { createOutbound } from '../../../src/gateway/outbound/outbound.ts'

const fixture = (name: string) => Bun.file(new URL(`../../fixtures/tls/${name}`, import.meta.url))
const callerPorts = new Set<number>()
const server = Bun.serve({
  ...{ hostname: '127.0.0.1', port: 0, development: false },
  tls: { cert: fixture('media.test.pem'), key: fixture('media.test.key') },
  fetch(request, self) {
    callerPorts.add(self.requestIP(request)?.port ?? 0)
    return new Response(request.headers.get('host'))
  },
})
const outbound = createOutbound({
  resolve: async () => ['127.0.0.1'],
  isPublic: () => true,
  env: {},
})

async function call(host: string, isForeign: boolean): Promise<string> {
  try {
    const response = await outbound({
      ...{ url: `https://${host}:${server.port}/`, method: 'GET', headers: {}, body: undefined },
      ...{ signal: AbortSignal.timeout(60_000), allowPrivate: false, connectMs: 1_000, isForeign },
    })
    return (await response.text()).replace(`:${server.port}`, '')
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

const results = []
for (const host of ['media.test', 'media.test', 'media.test.', 'other.test', '127.0.0.1']) {
  results.push([host, await call(host, false), await call(host, true)])
}
console.log(JSON.stringify({ results, connections: callerPorts.size }))
await server.stop(true)
