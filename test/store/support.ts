import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialValues } from '../../src/resources/resource.ts'
import { tokenFields } from '../../src/resources/token.ts'
import type {
  AccountWrite,
  ChannelWrite,
  PriceWrite,
  TokenWrite,
} from '../../src/store/ports/admin.ts'
import type { GroupSettings, PriceTerms } from '../../src/store/ports/catalog.ts'
import type { AttemptRow, RequestRow, Settlement } from '../../src/store/ports/records.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { noLimits } from '../support/no-limits.ts'

/** A fixed time: 2026-11-21T08:00:00Z. */
export const now = Date.parse('2026-11-21T08:00:00Z')

export function channelWrite(changes: Partial<ChannelWrite> = {}): ChannelWrite {
  return {
    name: 'main',
    status: 'active',
    speaks: { chat: 'https://upstream.example/v1' },
    models: [{ id: 'small', upstream: 'small-1' }],
    priority: 0,
    weight: 1,
    timeouts: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 3_600_000 },
    allowPrivate: false,
    quirks: [],
    limits: noLimits,
    probe: null,
    keysSealed: Uint8Array.of(1, 2, 3),
    ...changes,
  }
}

export function groupWrite(changes: Partial<GroupSettings> = {}): GroupSettings {
  return {
    name: '默认【官转·稳定】',
    status: 'active',
    description: 'for all',
    platform: 'openai',
    multiplierMillionths: 800_000,
    channels: ['main'],
    models: [],
    longContextPricing: true,
    onDisconnect: 'bill_observed',
    accounts: null,
    tools: null,
    regions: null,
    limits: { rpm: 600, tpm: null, concurrency: null },
    ...changes,
  }
}

export function accountWrite(changes: Partial<AccountWrite> = {}): AccountWrite {
  return {
    email: 'ann@example.com',
    role: 'user',
    status: 'active',
    openingNano: 1_000_000_000,
    ...changes,
  }
}

export function tokenWrite(changes: Partial<TokenWrite> = {}): TokenWrite {
  return {
    ...initialValues(tokenFields),
    account: 'ann@example.com',
    name: 'laptop',
    keyHash: 'hash-1',
    keySealed: Uint8Array.of(4, 5),
    keyHint: 'sk-ab…wxyz',
    group: '默认【官转·稳定】',
    ...changes,
  }
}

/** A model's price as a configuration file sets it. */
export function priceWrite(model: string, terms: PriceTerms): PriceWrite {
  return { model, terms, source: 'config', note: '' }
}

/** One channel, group, price, account and token, each with id 1. */
export async function seed(store: Pick<Store, 'admin'>): Promise<void> {
  await store.admin.write({
    channels: [channelWrite()],
    groups: [groupWrite()],
    prices: [priceWrite('small', { unit: 'call', perCallNano: 40_000_000 })],
    accounts: [accountWrite()],
    tokens: [tokenWrite()],
  })
}

export function requestRow(changes: Partial<RequestRow> & { requestId: string }): RequestRow {
  return {
    createdAt: now,
    accountId: 1,
    tokenId: 1,
    groupId: 1,
    model: 'small',
    upstreamModel: 'small-1',
    channelId: 1,
    clientProtocol: 'chat',
    upstreamProtocol: 'chat',
    operation: 'completions',
    stream: true,
    status: 200,
    cause: null,
    causeText: null,
    ending: 'complete',
    inputTokens: 10,
    outputTokens: 20,
    reasoningTokens: 5,
    cacheReadTokens: 3,
    cacheWriteTokens: 2,
    cacheWrite1hTokens: 1,
    calls: 1,
    estimated: false,
    clamped: false,
    usageRaw: '{"prompt_tokens":16}',
    priceId: 1,
    tierAbove: null,
    longContextPricing: true,
    multiplierMillionths: 800_000,
    amountNano: 100,
    firstByteMs: 12,
    durationMs: 34,
    extrasJson: null,
    stateJson: null,
    ...changes,
  }
}

export function attemptRow(changes: Partial<AttemptRow> = {}): AttemptRow {
  return {
    channelId: 1,
    startedAt: now,
    status: 200,
    cause: null,
    firstByteMs: 11,
    durationMs: 33,
    upstreamRequestId: 'up-1',
    usageRaw: null,
    keyMark: 'mark',
    ...changes,
  }
}

export function settlement(
  changes: Partial<RequestRow> & { requestId: string },
  attempts: readonly AttemptRow[] = [attemptRow()],
): Settlement {
  return { request: requestRow(changes), attempts }
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** A directory of its own for a test, gone at the end of the `using` block. */
export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-store-'))
  return {
    path,
    file: (name: string) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
