import { expect } from 'bun:test'
import { join } from 'node:path'
import {
  type JsonObject,
  type ProtocolName,
  protocolNames,
} from '../../../src/protocols/protocol.ts'
import { type RunningBinary, runBinary, startBinary } from '../../support/binary.ts'
import { speaksAt, testKey, tollgateYaml } from '../../support/tollgate-yaml.ts'
import { createChatClient } from './clients/chat.ts'
import type { Client } from './clients/client.ts'
import { createGeminiClient } from './clients/gemini.ts'
import { createMessagesClient } from './clients/messages.ts'
import { createResponsesClient } from './clients/responses.ts'
import { chatModel, chatVendor, reasonerModel } from './upstreams/chat.ts'
import { geminiModel, geminiVendor } from './upstreams/gemini.ts'
import { messagesModel, messagesVendor } from './upstreams/messages.ts'
import { responsesModel, responsesVendor } from './upstreams/responses.ts'
import { type RunningVendor, startVendor } from './upstreams/vendor.ts'

type ByProtocol<T> = Readonly<Record<ProtocolName, T>>

/** One gateway before a scripted vendor of each protocol, and an SDK of each. */
export interface Bench extends AsyncDisposable {
  readonly gateway: RunningBinary
  readonly vendors: ByProtocol<RunningVendor>
  readonly clients: ByProtocol<Client>
  /** What the record of a request must say, looked at in the end by `compareRecords`. */
  expectRecord(requestId: string | null, record: object): void
  compareRecords(): Promise<void>
}

/** The models: what channels call them upstream. */
const upstreamModels = {
  chat: chatModel,
  responses: responsesModel,
  messages: messagesModel,
  gemini: geminiModel,
} as const
/** What clients ask for. */
export const modelOn = (upstream: ProtocolName) => `on-${upstream}`
/** A model of chat that wants its reasoning back. */
export const reasoner = 'on-reasoner'

/** In USD per 1M tokens. */
const price = { input: 1, output: 2, cache_read: 0.1, cache_write: 1.25 }
/** The same in nano-USD per token. */
export const nano = { input: 1000, output: 2000, cacheRead: 100, cacheWrite: 1250 } as const

/** Starts everything; dispose of it in `afterAll`, which looks for faults in the log, too. */
export async function startBench(): Promise<Bench> {
  const vendors = {
    chat: startVendor(chatVendor),
    responses: startVendor(responsesVendor),
    messages: startVendor(messagesVendor),
    gemini: startVendor(geminiVendor),
  }
  const channel = (name: ProtocolName) => ({
    name,
    speaks: speaksAt(vendors[name].url, [name]),
    api_key: `key-of-${name}`,
    models: [{ id: modelOn(name), upstream: upstreamModels[name] }],
    allow_private: true,
  })
  const ids = [...protocolNames.map(modelOn), reasoner]
  const config = (listen: string) =>
    tollgateYaml({
      listen,
      upstream: vendors.chat.url,
      speaks: ['chat'],
      models: [{ id: reasoner, upstream: reasonerModel }],
      channel: { api_key: 'key-of-chat', quirks: ['reasoning_content'] },
      moreChannels: protocolNames.map(channel),
      group: { channels: ['main', ...protocolNames] },
      prices: Object.fromEntries(ids.map((id) => [id, price])),
    })
  const gateway = await startBinary({ args: ['serve', '--log', 'json'], config })
  const target = { url: gateway.url, key: testKey }
  const expected = new Map<string, object>()
  return {
    gateway,
    vendors,
    clients: {
      chat: createChatClient(target),
      responses: createResponsesClient(target),
      messages: createMessagesClient(target),
      gemini: createGeminiClient(target),
    },
    expectRecord(requestId, record) {
      if (requestId === null) throw new Error('The answer has no request id.')
      expected.set(requestId, record)
    },
    async compareRecords() {
      const config = join(gateway.cwd, 'tollgate.yaml')
      let records = await exportRecords(config)
      // Whose client has left may be read to its end.
      while (records.length < expected.size) records = await exportRecords(config)
      expect(records.map((record) => record.request_id).sort()).toEqual([...expected.keys()].sort())
      for (const record of records) {
        const wanted = expected.get(String(record.request_id)) ?? {}
        const told = Object.keys(wanted).map((key) => [key, record[key]])
        expect(Object.fromEntries(told)).toEqual(wanted)
      }
    },
    async [Symbol.asyncDispose]() {
      const faults = [...gateway.stdout, ...gateway.stderr].filter((line) =>
        /internal error|unhandled|"level":"error"/i.test(line),
      )
      expect(await gateway.stop()).toBe(0)
      await Promise.all(Object.values(vendors).map((vendor) => vendor.stop()))
      expect(faults).toEqual([])
    },
  }
}

async function exportRecords(config: string) {
  const args = ['export', 'requests', '--format', 'jsonl', '--config', config]
  const { stdout, stderr, exitCode } = await runBinary(args)
  if (exitCode !== 0) throw new Error(`tollgate export failed: ${stderr}`)
  const lines = stdout.split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as JsonObject)
}
