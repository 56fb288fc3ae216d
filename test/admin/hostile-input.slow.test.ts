import { afterAll, describe, expect, test } from 'bun:test'
import { rounds } from '../support/rounds.ts'
import { askedOf, makeThings } from './security/routes.ts'
import { type Asked, type Person, startSecurityScene } from './security/scene.ts'
import { table } from './security/table.ts'

// Between two requests an hour goes by, so that the limits of sessions refuse none of these.
let hours = 0
const scene = await startSecurityScene({ sessionTick: () => ++hours * 3_600_000 })
const things = await makeThings(scene)
afterAll(scene.stop)

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}
const documentation = await scene.ask('anonymous', { method: 'GET', path: '/docs/json' })
const { paths } = (await documentation.json()) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const personOf = (route: string): Person => (route.includes('/admin/') ? 'admin' : 'user')
/** What counts guesses, ends sessions or does not end is tried elsewhere. */
const routes = Object.keys(table).filter(
  (route) => !/^DELETE|\/live|\/auth\/|\/setup|\/reveal|\/download/.test(route),
)

/** What is not a fault of the gateway: 503 is a database in memory, which has no file. At 429 nothing was tried. */
const isFault = (status: number) => (status >= 500 && status !== 503) || status === 429

/** Asks all of them, and names those that were answered as a fault of the gateway. */
async function faultsOf(person: Person, asked: readonly Asked[]): Promise<string[]> {
  const faults: string[] = []
  const left = asked.values()
  const askAll = async () => {
    for (const one of left) {
      const response = await scene.ask(person, one)
      await response.text()
      const body = JSON.stringify(one.body)?.slice(0, 120)
      if (isFault(response.status))
        faults.push(`${response.status} ${one.method} ${one.path} ${body}`)
    }
  }
  await Promise.all(Array.from({ length: 4 }, askAll))
  return faults
}

const texts = [
  '',
  '-1',
  '1e3',
  '0x10',
  ' 1',
  '１',
  'NaN',
  '99999999999999999999',
  '9007199254740993',
]
const many = JSON.stringify({ group: 'default', models: Array(10_000).fill('test-model') })
const strange = ['\u0000', '\u202e', '__proto__', 'constructor', "'; DROP TABLE account; --", '%']
const times = ['+275760-09-13T00:00:00Z', '9999-12-31T23:59:59.999-23:59', '2026-13-45T99:99:99Z']
const odd = [
  { toString: 'x', valueOf: 1 },
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 53,
  [],
  {},
  [null],
  '\ud800',
  'x'.repeat(5000),
]
const values: readonly unknown[] = [...texts, ...strange, ...times, ...odd]
/** What one field is given: in a run that is not long every other value, and its neighbour the others. */
const valuesOf = (field: number) => values.filter((_, at) => rounds((at + field) % 2, 0) === 0)

/** A value that fits a schema, in what it must have. */
function sampleOf({ const: only, anyOf, type, properties = {}, required = [] }: Schema): unknown {
  if (only !== undefined) return only
  if (anyOf?.[0]) return sampleOf(anyOf[0])
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]))
  const samples: Readonly<Record<string, unknown>> = {
    string: '1',
    integer: 1,
    boolean: true,
    array: [],
  }
  return samples[type ?? ''] ?? null
}

test('the documentation says what is sent', () => {
  const without = Object.keys(table).filter((route) => {
    const { requestBody } = operationOf(route)
    return requestBody !== undefined && !requestBody.content['application/json']?.schema.properties
  })
  expect(without).toEqual([])
  expect(operationOf('POST /api/v1/tokens').requestBody?.content).toMatchObject({
    'application/json': { schema: { required: ['group'] } },
  })
})

describe('nothing that is sent makes the gateway fail', () => {
  test('in a query', async () => {
    for (const route of routes) {
      const { method, path } = askedOf(route, things)
      const { parameters = [] } = operationOf(route)
      const asked = parameters
        .filter((one) => one.in === 'query')
        .flatMap(({ name }) =>
          [...texts, ...strange, ...times].map((value) => ({
            method,
            path: `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`,
          })),
        )
      expect(await faultsOf(personOf(route), method === 'GET' ? asked : [])).toEqual([])
    }
  })

  test('in a path', async () => {
    const ids = [...texts, ...strange, 'x'.repeat(3000), '..', 'null'].map(encodeURIComponent)
    const broken = ['%00', '%E0%A4%A', '%ED%A0%80', '%2e%2e%2f', '%']
    for (const route of routes.filter((one) => one.includes('{'))) {
      const [method = '', path = ''] = route.split(' ')
      const asked = [...ids, ...broken].map((id) => ({
        method,
        path: path.replace(/\{\w+\}/g, id),
      }))
      const bodied = method === 'GET' ? asked : asked.map((one) => ({ ...one, body: {} }))
      expect(await faultsOf(personOf(route), bodied)).toEqual([])
    }
  })

  test('in a field', async () => {
    let fields = 0
    for (const route of routes) {
      const schema = operationOf(route).requestBody?.content['application/json']?.schema
      if (!schema) continue
      const asked = askedOf(route, things)
      const base = { ...(sampleOf(schema) as object), ...(asked.body as object) }
      const bodies = Object.keys(schema.properties ?? {}).flatMap((name) =>
        valuesOf(fields++).map((value) => ({ ...asked, body: { ...base, [name]: value } })),
      )
      expect(await faultsOf(personOf(route), bodies)).toEqual([])
    }
  })

  test('as a whole', async () => {
    const wholes = ['null', '1', '"x"', '[]', '[[[[', '{}garbage', '\ufeff{}', '{"a":1e999}']
    const deep = ['['.repeat(200_000), '{"a":'.repeat(100_000), '['.repeat(9000) + ']'.repeat(9000)]
    const doubled = [
      '{"name":"a","name":{}}',
      '{"__proto__":{"role":"admin"}}',
      '{"email":{"toString":1}}',
    ]
    for (const route of routes.filter((one) => !one.startsWith('GET '))) {
      const asked = askedOf(route, things)
      // They are read by the same reader everywhere; large ones take their time.
      const large = route === 'POST /api/v1/tokens' ? [...deep, many] : []
      const bodies = [...wholes, ...doubled, ...large].map((body) => ({ ...asked, body }))
      expect(await faultsOf(personOf(route), bodies)).toEqual([])
    }
  })

  test('in what people sign in with', async () => {
    const path = '/api/v1/auth/sign-in/passkey'
    const deep = `{"response":${'['.repeat(9000)}${']'.repeat(9000)}}`
    const bodies = [
      deep,
      { response: null },
      { response: { id: {}, response: [] } },
      { response: 'x' },
    ]
    const asked = bodies.map((body) => ({ method: 'POST', path, body }))
    expect(await faultsOf('anonymous', asked)).toEqual([])
  })

  test('and nothing of it was noted as a fault', () => {
    const faults = scene.app.complaints.filter((line) => /unhandled|Error:/.test(line))
    expect(faults).toEqual([])
  })
})

test('a page of no rows, or of too many, is refused on every list', async () => {
  const lists = routes.filter((route) =>
    operationOf(route).parameters?.some(({ name }) => name === 'page_size'),
  )
  expect(lists.length).toBeGreaterThan(10)
  const taken: string[] = []
  for (const route of lists) {
    const { method, path } = askedOf(route, things)
    for (const size of ['0', '-1', '101', '1.5', '1e1000', '']) {
      const query = `${path.includes('?') ? '&' : '?'}page_size=${size}`
      const { status } = await scene.ask(personOf(route), { method, path: path + query })
      if (status !== 400) taken.push(`${status} ${path}${query}`)
    }
  }
  expect(taken).toEqual([])
})

function operationOf(route: string): Operation {
  const [method = '', path = ''] = route.split(' ')
  return paths[path]?.[method.toLowerCase()] ?? {}
}

test('who sends is looked at before what is sent: nobody is waited for', async () => {
  const head = (cookie: string) =>
    `POST /api/v1/tokens HTTP/1.1\r\nhost: ${new URL(scene.url).host}\r\n${cookie}` +
    'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{'
  const status = await firstLine(head(''))
  expect(status).toBe('HTTP/1.1 401 Unauthorized')
  const { jar } = scene.browsers.user
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const foreign = `cookie: ${cookie}\r\norigin: https://evil.example\r\n`
  expect(await firstLine(head(foreign))).toBe('HTTP/1.1 403 Forbidden')
})

/** What comes back for bytes that are sent as they are. */
async function firstLine(sent: string): Promise<string> {
  const { hostname, port } = new URL(scene.url)
  const come = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    ...{ hostname, port: Number(port) },
    socket: {
      data: (_, bytes) => come.resolve(bytes.toString()),
      close: () => come.resolve('closed'),
    },
  })
  socket.write(sent)
  const text = await come.promise
  socket.end()
  return text.split('\r\n')[0] ?? ''
}
