import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { createPassOn, listenForPages } from '../../../src/app/group/pages.ts'
import { silentLog } from '../../support/keeper-link.ts'

// What workers pass on to the keeper, by the bytes that clients send.

const place = { socket: `\0pages-${crypto.randomUUID()}`, secret: 'a secret of the group' }
let port: number
let close: () => Promise<void>

beforeAll(() => {
  const app = new Elysia().all(
    '*',
    ({ request }) => `${request.url} for ${request.headers.get('host')}`,
  )
  const pages = listenForPages(app, place, silentLog)
  const passOn = createPassOn(place)
  const server = Bun.serve<unknown>({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch: (request, own) => passOn({ request, server: own }),
  })
  port = Number(server.port)
  close = async () => {
    await server.stop(true)
    await pages.close()
  }
})
afterAll(() => close())

/** Sends bytes, and reads until the connection is closed. */
async function send(head: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let text = ''
  await Bun.connect({
    ...{ hostname: '127.0.0.1', port },
    socket: {
      open: (socket) => void socket.write(head),
      data(_, chunk) {
        text += chunk
      },
      close: () => resolve(),
    },
  })
  await promise
  return text
}

test.each([
  [
    'with a host',
    'GET /a/b?c=d HTTP/1.1\r\nhost: one.test',
    'http://one.test/a/b?c=d for one.test',
  ],
  ['without one, as load balancers ask', 'GET /readyz HTTP/1.0', 'http://keeper/readyz for keeper'],
  ['with one that is none', 'GET /readyz HTTP/1.1\r\nhost: a b', '/readyz for a b'],
  ['with a port that is none', 'GET /a HTTP/1.1\r\nhost: a:99999', 'http://a:99999/a for a:99999'],
])('a request %s is answered by the keeper', async (_, head, expected) => {
  const answer = await send(`${head}\r\nconnection: close\r\n\r\n`)
  expect(answer).toStartWith('HTTP/1.1 200')
  expect(answer).toEndWith(`\r\n\r\n${expected}`)
})
