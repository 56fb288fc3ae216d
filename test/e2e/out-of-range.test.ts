import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, createBrowser } from '../app/console/sign-in-scene.ts'
import { type RunningBinary, startBinary } from '../support/binary.ts'

const admin = { email: 'first@example.com', password: 'a-good-long-password' }
let gate: RunningBinary
let browser: Browser

beforeAll(async () => {
  gate = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) => `
server: { listen: "${listen}" }
accounts: [{ email: ${admin.email}, role: admin, password: ${admin.password} }]
`,
  })
  browser = createBrowser(gate.url)
  expect((await browser.signIn(admin)).status).toBe(200)
})
afterAll(() => gate.stop())

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly type?: string; readonly minimum?: number; readonly maximum?: number }
}
interface Operation {
  readonly parameters?: readonly Parameter[]
}

/** What is no value of such an integer: beyond its bounds, and no integer at all. */
const beyond = ({ minimum = 0, maximum = 0 }: Parameter['schema']) =>
  [minimum - 1, maximum + 1, '9'.repeat(30), '1.5', '0x10', 'x'].map(String)

/** Each integer that the documentation says is asked for in a query or a path. */
async function integers() {
  const { paths } = (await (await fetch(`${gate.url}/docs/json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [] }]) =>
      parameters
        .filter(({ schema }) => JSON.stringify(schema).includes('"integer"'))
        .map((parameter) => ({ method: method.toUpperCase(), path, parameter })),
    ),
  )
}

/** What is answered; of what is no refusal, such as a list that never ends, nothing is read. */
async function ask(method: string, path: string) {
  const response = await fetch(gate.url + path, {
    method,
    proxy: false,
    headers: {
      ...{ origin: gate.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      cookie: [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; '),
    },
    ...(method !== 'GET' && { body: '{}' }),
  })
  const { status } = response
  if (status === 400)
    return { status, ...((await response.json()) as { field?: string; fault?: string }) }
  await response.body?.cancel()
  return { status, field: undefined, fault: undefined }
}

test('the compiled program refuses each integer that is out of its range', async () => {
  const all = await integers()
  const lists = all.filter(({ parameter }) => parameter.name === 'page_size')
  expect(lists.length).toBeGreaterThanOrEqual(13)
  expect(all.filter(({ parameter }) => parameter.name === 'days').length).toBe(4)
  expect(all.filter((one) => one.parameter.in === 'path').length).toBeGreaterThan(20)
  const wrong: string[] = []
  for (const { method, path, parameter } of all) {
    const { name, schema } = parameter
    for (const value of beyond(schema)) {
      const filled = path
        .replace(`{${name}}`, value)
        .replace('{protocol}', 'chat')
        .replace(/\{\w+\}/g, '1')
      const asked = parameter.in === 'query' ? `${filled}?${name}=${value}` : filled
      const { status, field, fault } = await ask(method, asked)
      if (status !== 400 || field !== name || fault !== 'unfit_whole_number')
        wrong.push(`${method} ${asked}: ${status} ${field} ${fault}`)
    }
  }
  expect(wrong).toEqual([])
  expect(gate.stderr.join('')).toBe('')
})
