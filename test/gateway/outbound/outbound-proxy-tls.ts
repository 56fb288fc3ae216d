/**
 * Run by outbound-proxy.test.ts in a process that trusts the tests' authorities: a server with the
 * certificate of media.test, called by proxies. Prints what came of each call, and how many
 * connections a proxy gets for fifty.
 */
import { createOutbound } from '../../../src/gateway/outbound/outbound.ts'
import { startForwardProxy } from '../../support/forward-proxy.ts'

const pem = (name: string) =>
  Bun.file(new URL(`../../fixtures/tls/${name}`, import.meta.url)).text()
const server = Bun.serve({
  ...{ hostname: '127.0.0.1', port: 0, development: false },
  tls: { cert: await pem('media.test.pem'), key: await pem('media.test.key') },
  fetch: (request) => new Response(request.headers.get('host')),
})
const local = { cert: await pem('local.pem'), key: await pem('local.key') }
const foreign = { cert: await pem('media.test.pem'), key: await pem('media.test.key') }
const proxies = {
  'http proxy': await startForwardProxy(),
  'https proxy': await startForwardProxy(local),
  'https proxy of another name': await startForwardProxy(foreign),
}
const outbound = createOutbound({ env: {} })

async function call(host: string, way: keyof typeof proxies): Promise<string> {
  try {
    const response = await outbound({
      ...{ url: `https://${host}:${server.port}/`, method: 'GET', headers: {}, body: undefined },
      ...{ signal: AbortSignal.timeout(60_000), allowPrivate: false, connectMs: 1_000 },
      proxy: proxies[way].url,
    })
    return (await response.text()).replace(`:${server.port}`, '')
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

const fiftyCalls: Record<string, number> = {}
for (const way of ['http proxy', 'https proxy'] as const) {
  for (let calls = 0; calls < 50; calls++) await call('media.test', way)
  fiftyCalls[way] = proxies[way].connections()
}
const results = []
for (const way of ['http proxy', 'https proxy'] as const) {
  for (const host of ['media.test', 'other.test']) results.push([host, way, await call(host, way)])
}
const other = 'https proxy of another name'
results.push(['media.test', other, await call('media.test', other)])
console.log(JSON.stringify({ results, fiftyCalls }))
process.exit()
