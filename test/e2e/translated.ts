import { isJsonObject } from '../../src/protocols/json.ts'
import type { Framing } from '../../src/protocols/protocol.ts'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import type { SeenRequest } from '../support/fake-upstream.ts'
import { speaksAt, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { validateStream } from '../support/validators/validate-stream.ts'
import { allDialects, type Dialect, dialects } from './dialects.ts'

// Clients of each protocol on channels of the others: twelve pairs.

/** A client that does not speak its channel's protocol. */
export interface Pair {
  readonly name: string
  readonly client: Dialect
  readonly upstream: Dialect
}

/** Every client protocol on every channel protocol but its own. */
export const pairs: readonly Pair[] = allDialects.flatMap((client) =>
  allDialects.flatMap((upstream) =>
    upstream === client ? [] : [{ name: `${client.name} on ${upstream.name}`, client, upstream }],
  ),
)

/** A gemini client that asks for its streams as an array. */
export const geminiArray: Dialect = {
  ...dialects.gemini,
  path: (stream) => dialects.gemini.path(stream).replace('?alt=sse', ''),
}

/** The key whose channel speaks one protocol only. */
export const keyOn = ({ name }: Pick<Dialect, 'name'>) => `sk-test-on-${name}-0123456789abcdefghij`

export interface TranslatingOptions {
  /** USD, of the account that all keys belong to. */
  readonly balance?: number
  /** Fields added to every channel. */
  readonly channel?: object
  readonly group?: object
  readonly token?: object
  readonly server?: object
  readonly prices?: Readonly<Record<string, object>>
  readonly args?: readonly string[]
  readonly moreAccounts?: readonly object[]
  /** One more group, key and channel, of all protocols and with these limits of time. */
  readonly hurried?: { readonly timeouts: object; readonly key: string }
}

/** A gateway with a channel, a group and a key for each protocol. */
export function startTranslating(
  upstream: string,
  options: TranslatingOptions = {},
): Promise<RunningBinary> {
  const {
    balance = 100,
    channel,
    group,
    token,
    server,
    prices,
    args,
    hurried,
    moreAccounts = [],
  } = options
  const names = allDialects.map(({ name }) => name)
  const models = ['test-model', 'other-model']
  return startBinary({
    ...(args && { args }),
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream, models },
        ...(server && { server }),
        ...(prices && { prices }),
        moreChannels: [...names, ...(hurried ? ['hurried'] : [])].map((name) => ({
          ...{ name: `on-${name}`, api_key: upstreamKey, models, allow_private: true },
          speaks: speaksAt(upstream, names.includes(name as never) ? [name as never] : undefined),
          ...(name === 'hurried' ? { timeouts: hurried?.timeouts } : channel),
        })),
        moreGroups: [...names, ...(hurried ? ['hurried'] : [])].map((name) => ({
          ...{ name: `on-${name}`, channels: [`on-${name}`], ...group },
        })),
        moreAccounts: [
          ...moreAccounts,
          {
            ...{ email: 'other@example.com', balance },
            tokens: [
              ...names.map((name) => ({
                ...{ name: `on-${name}`, key: keyOn({ name }), group: `on-${name}`, ...token },
              })),
              ...(hurried ? [{ name: 'hurried', key: hurried.key, group: 'on-hurried' }] : []),
            ],
          },
        ],
      }),
  })
}

/** Which protocol an upstream was asked in. */
export function dialectOf({ path }: Pick<SeenRequest, 'path'>): Dialect {
  const asked = path.replace('gpt-4o', 'test-model')
  const found = allDialects.find((one) => [one.path(true), one.path(false)].includes(asked))
  if (found === undefined) throw new Error(`No protocol has the path ${path}.`)
  return found
}

/** Whether an upstream was asked for a stream. */
export const wantsStream = (request: SeenRequest) =>
  /"stream":\s*true|streamGenerate/.test(request.path + request.text())

/** What a vendor of the client's protocol would not have sent. */
export function violations(
  { name }: Dialect,
  text: string,
  ending: 'complete' | 'error',
  framing: Framing = 'sse',
): readonly string[] {
  return validateStream(name, text, { ending, framing, usage: true })
}

/** The text of a streamed answer: what a person has read by then. */
export function spoken({ name }: Dialect, text: string, framing: Framing = 'sse'): string {
  const events = framing === 'sse' ? eventsIn(text) : (JSON.parse(text) as unknown[])
  return events.map((event) => pieceIn(name, event)).join('')
}

function eventsIn(text: string): unknown[] {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data: {'))
  return lines.map((line) => JSON.parse(line.slice(6)) as unknown)
}

/** Members by their names or places, one after the other. */
function dig(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((at, step) => {
    if (Array.isArray(at)) return at[Number(step)]
    return isJsonObject(at) ? at[step] : undefined
  }, value)
}

function pieceIn(name: Dialect['name'], event: unknown): string {
  const type = dig(event, 'type')
  const found = {
    chat: () => dig(event, 'choices', 0, 'delta', 'content'),
    responses: () => (type === 'response.output_text.delta' ? dig(event, 'delta') : ''),
    messages: () => (type === 'content_block_delta' ? dig(event, 'delta', 'text') : ''),
    gemini: () => dig(event, 'candidates', 0, 'content', 'parts', 0, 'text'),
  }[name]()
  return typeof found === 'string' ? found : ''
}
