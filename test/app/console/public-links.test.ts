import { expect, test } from 'bun:test'
import { startConsoleScene } from '../../support/console-scene.ts'

// Where the console and the public settings lead to, from what the configuration says.

const base_url = 'https://gw.example.com'
const sites = [
  { base_url },
  { base_url, status_url: 'https://status.example.com' },
  { base_url, status_url: 'https://status.example.com/status' },
  { base_url, status_url: 'https://gw.example.com/status' },
  { base_url, status_url: 'https://gw.example.com' },
  { base_url, status_url: 'https://gw.example.com/' },
  { status_url: 'https://gw.example.com/status' },
]

test.each(sites)('%o: the feed and the status page are where they are said to be', async (site) => {
  const scene = await startConsoleScene({ site })

  /** What a browser finds there. */
  async function follow(link: unknown): Promise<string> {
    const url = new URL(String(link), base_url)
    const headers = { host: url.host, accept: 'text/html,*/*' }
    // TLS ends before the gateway.
    url.protocol = 'http:'
    const response = await scene.tollgate.app.handle(new Request(url.href, { headers }))
    const text = response.status === 200 ? await response.text() : ''
    if (text.startsWith('{')) return Object.keys(JSON.parse(text)).join()
    return text.includes('Incidents') ? 'status page' : `HTTP ${response.status}`
  }

  const me = await scene.ask('user', 'GET', '/api/v1/me')
  const links = me.data.site as Record<string, unknown>
  const feed = 'schema_version,success,message,data'
  expect(await follow(links.price_feed_url)).toBe(feed)
  expect(await follow(links.status_url)).toBe('status page')
  const { data } = await scene.ask(null, 'GET', '/api/v1/settings/public')
  expect(await follow(data.price_feed_url)).toBe(feed)

  const refused = await scene.chat('no-such-model')
  await scene.tollgate.settled()
  const id = refused.headers.get('x-request-id')
  const diagnosis = await scene.ask('user', 'GET', `/api/v1/requests/${id}/diagnosis`)
  const steps = diagnosis.data.steps as readonly { step: string; link: string }[]
  expect(await follow(steps.find(({ step }) => step === 'status')?.link)).toBe('status page')
  await scene.stop()
})
