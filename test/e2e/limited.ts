import { type RunningBinary, startBinary } from '../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { rounds } from '../support/rounds.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { dialects } from './dialects.ts'
import { openRaw, type RawAnswer, type RawConnection, requestHead } from './raw-client.ts'

/** A token of a test: `limits` as in the configuration. */
export interface LimitedToken {
  readonly name: string
  readonly account: string
  readonly group: string
  readonly limits?: object
}

export interface LimitedOptions {
  readonly tokens: readonly LimitedToken[]
  /** Limits by name. */
  readonly accounts?: Readonly<Record<string, object>>
  readonly groups?: Readonly<Record<string, object>>
  readonly queueTime?: string
}

/** What a client asked and was told; times of this process's clock, in milliseconds. */
export interface Asked {
  /** The token's name. */
  readonly who: string
  readonly number: number
  readonly sentAt: number
  readonly answeredAt: number
  readonly status: number
  readonly retryAfter: number | undefined
}

export interface Limited extends AsyncDisposable {
  readonly tollgate: RunningBinary
  /** When each request reached the upstream, in this order, by its number. */
  readonly arrivedAt: ReadonlyMap<number, number>
  /** Requests of these tokens that the upstream has in hand. */
  inHand(tokens: readonly string[]): number
  /** How long the upstream takes for an answer to this token. */
  takeMs(token: string, ms: number): void
  /** It answers this token no more, until what is given back is called. */
  hold(token: string): () => void
  client(token: string): Promise<LimitedClient>
}

/** One connection that asks again and again. */
export interface LimitedClient extends Disposable {
  ask(): Promise<Asked>
}

/** Whose limits they are. */
export const kinds = ['token', 'account', 'group'] as const
export type Kind = (typeof kinds)[number]

/**
 * Tokens for each kind of limit: their own account and group where it is not that which is limited,
 * and the account `shared` or the group `grouped` where it is.
 */
export const tokensOf = (
  table: Readonly<Record<Kind, { readonly tokens: readonly string[] }>>,
  limits: object,
): LimitedToken[] =>
  kinds.flatMap((kind) =>
    table[kind].tokens.map((name, at) => ({
      name,
      account: kind === 'account' ? 'shared' : name,
      group: kind === 'group' ? 'grouped' : `of-${kind}-${at}`,
      ...(kind === 'token' && { limits }),
    })),
  )

export const keyOf = (token: string): string => `sk-${token}-0123456789abcdefghijklmnop`

const limitMs = 120_000
let count = 0

/** Starts a gateway with limits before an upstream that knows for whom it is asked. */
export async function startLimited(options: LimitedOptions): Promise<Limited> {
  const arrivedAt = new Map<number, number>()
  const inHand = new Map<string, number>()
  const takes = new Map<string, number>()
  const held = new Map<string, Promise<void>>()
  const change = (who: string, by: number) => inHand.set(who, (inHand.get(who) ?? 0) + by)
  const upstream = startFakeUpstream(async (seen) => {
    const [, who = '', number] = /asked by (\S+) as (\d+)\./.exec(seen.text()) ?? []
    if (number !== undefined) arrivedAt.set(Number(number), seen.receivedAt)
    change(who, 1)
    const ms = takes.get(who)
    if (ms !== undefined) await Bun.sleep(ms)
    await held.get(who)
    change(who, -1)
    const dialect = Object.values(dialects).find(({ path }) => seen.path.startsWith(path(false)))
    return jsonAnswer((dialect ?? dialects.chat).body({ input: 3, output: 2 }))
  })
  const config = (listen: string) => limitedYaml(options, upstream.url, listen)
  const tollgate = await startBinary({ config })
  return {
    tollgate,
    arrivedAt,
    inHand: (tokens) => tokens.reduce((sum, who) => sum + (inHand.get(who) ?? 0), 0),
    takeMs: (token, ms) => takes.set(token, ms),
    hold(token) {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(token, promise)
      return resolve
    },
    client: (token) => connectClient(tollgate.port, token),
    async [Symbol.asyncDispose]() {
      await tollgate.stop()
      await upstream.stop()
    },
  }
}

function limitedYaml(options: LimitedOptions, upstream: string, listen: string): string {
  const { tokens, accounts = {}, groups = {}, queueTime } = options
  const names = (field: 'account' | 'group') => [...new Set(tokens.map((token) => token[field]))]
  return tollgateYaml({
    ...{ listen, upstream },
    ...(queueTime && { settings: { queue_time: queueTime } }),
    moreGroups: names('group').map((name) => ({
      ...{ name, channels: ['main'] },
      ...(groups[name] && { limits: groups[name] }),
    })),
    moreAccounts: names('account').map((name) => ({
      ...{ email: `${name}@example.com`, balance: 1000 },
      ...(accounts[name] && { limits: accounts[name] }),
      tokens: tokens
        .filter(({ account }) => account === name)
        .map(({ account: _, ...token }) => ({ ...token, key: keyOf(token.name) })),
    })),
  })
}

async function connectClient(port: number, who: string): Promise<LimitedClient> {
  const connection: RawConnection = await openRaw(port)
  return {
    async ask() {
      const number = count++
      const sentAt = performance.now()
      send(connection, who, dialects.chat.request(false, `asked by ${who} as ${number}.`))
      const answer = await connection.answer('POST', limitMs)
      const answeredAt = performance.now()
      return { who, number, sentAt, answeredAt, status: answer.status, retryAfter: afterOf(answer) }
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}

function send(connection: RawConnection, who: string, request: object): void {
  const body = JSON.stringify(request)
  const headers = [
    ['authorization', `Bearer ${keyOf(who)}`],
    ['content-type', 'application/json'],
  ] as const
  const call = { method: 'POST', path: dialects.chat.path(false), headers, body }
  connection.socket.write(requestHead(call) + body)
}

function afterOf({ headers }: RawAnswer): number | undefined {
  const text = headers.get('retry-after')
  return text === null ? undefined : Number(text)
}

/**
 * How many requests were let in, for sure, in 60 s: each at some moment between its sending and its
 * reaching the upstream.
 */
export function surelyInMinute(asked: readonly Asked[], arrivedAt: Limited['arrivedAt']): number {
  const entered = asked.flatMap(({ number, sentAt }) => {
    const at = arrivedAt.get(number)
    return at === undefined ? [] : [{ sentAt, arrivedAt: at }]
  })
  const from = (start: number) =>
    entered.filter((one) => one.sentAt >= start && one.arrivedAt < start + 60_000).length
  return entered.reduce((most, { sentAt }) => Math.max(most, from(sentAt)), 0)
}

/** So many clients, of these tokens in turn. */
export const clientsOf = (limited: Limited, tokens: readonly string[], count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, at) => limited.client(tokens[at % tokens.length] ?? '')),
  )

/** How long a client waits at least after it was refused. */
const refusedMs = rounds(2_500, 1_500)

/** Asks until the end, into `all`; who is refused tries again soon, whatever it was told. */
export async function press(client: LimitedClient, isOver: () => boolean, all: Asked[] = []) {
  while (!isOver()) {
    const asked = await client.ask()
    all.push(asked)
    if (asked.status !== 200) await Bun.sleep(refusedMs * (1 + Math.random()))
  }
  client[Symbol.dispose]()
  return all
}
