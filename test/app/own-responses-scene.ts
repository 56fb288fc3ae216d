import OpenAI from 'openai'
import { allDialects, type Dialect, wholeStream } from '../e2e/dialects.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, type ServingOptions, startServing } from './serving.ts'

export const strangerKey = 'sk-stranger-0123456789abcdefghijkl'
export const siblingKey = 'sk-sibling-0123456789abcdefghijklm'
export const tokens = { input: 30, output: 7 }
export const model = 'test-model'
export const foreign = allDialects.filter(({ name }) => name !== 'responses')
/** The conversation of a request in its protocol. */
export const turnsOf = (body: Record<string, never>) =>
  (body.messages ?? body.contents) as unknown as readonly unknown[]
export const textOf = (value: unknown) => JSON.stringify(value)

/** A gateway before one channel that speaks another protocol. */
export class Scene {
  readonly upstream: FakeUpstream
  readonly #dialect: Dialect
  gateway!: Running

  constructor(dialect: Dialect) {
    this.#dialect = dialect
    this.upstream = startFakeUpstream(({ path, text }) => {
      const isStream = path.includes('stream') || /"stream":true/.test(text())
      return isStream
        ? sseAnswer(wholeStream(dialect, tokens, ['Hel', 'lo.']))
        : jsonAnswer(dialect.body(tokens))
    })
  }

  async start(
    settings: object = {},
    store?: string,
    more: Partial<ServingOptions> = {},
  ): Promise<this> {
    const own = { name: 'own', key: strangerKey, group: 'default' }
    this.gateway = await startServing({
      ...{ upstream: this.upstream.url, speaks: [this.#dialect.name], settings },
      ...(store && { store }),
      ...more,
      moreAccounts: [
        { email: 'stranger@example.com', balance: 1, tokens: [own] },
        {
          ...{ email: 'sibling@example.com', balance: 1 },
          tokens: [{ name: 'sibling', key: siblingKey, group: 'default' }],
        },
      ],
    })
    return this
  }

  client(apiKey = testKey): OpenAI {
    const baseURL = `${this.gateway.serving.url}/v1`
    return new OpenAI({ baseURL, apiKey, maxRetries: 0, fetchOptions: { proxy: false } as object })
  }

  /** What the upstream was asked last. */
  asked(): Record<string, never> {
    return this.upstream.last().json() as Record<string, never>
  }

  async stop(): Promise<void> {
    await this.gateway[Symbol.asyncDispose]()
    await this.upstream.stop()
  }
}
