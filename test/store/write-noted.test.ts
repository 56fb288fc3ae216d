import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Writes } from '../../src/store/ports/admin.ts'
import { type AnyStore, eachEngine, type TestStore } from './each-engine.ts'
import { accountWrite, channelWrite, groupWrite, now, priceWrite, tokenWrite } from './support.ts'

eachEngine((open) => {
  const ann = 'ann@example.com'
  const actor = 'command line'
  const group = '默认【官转·稳定】'
  let opened: TestStore
  let store: AnyStore

  beforeEach(async () => {
    opened = await open(() => now)
    store = opened.store
  })
  afterEach(() => opened[Symbol.asyncDispose]())

  /** The rows that a set of changes leaves. */
  async function noted(writes: Writes) {
    const before = (await store.admin.audit(100)).length
    await store.admin.write(writes, { actor })
    const rows = (await store.admin.audit(100)).slice(before)
    for (const row of rows) expect(row).toMatchObject({ createdAt: now, actor })
    return rows.map(({ action, subject, detail }) => ({ action, subject, detail }))
  }

  test('what is made leaves a row each, and tells no secret', async () => {
    const rows = await noted({
      channels: [channelWrite({ name: 'other' })],
      groups: [groupWrite({ name: 'trial', channels: ['other', 'main'] })],
      prices: [priceWrite('big', { unit: 'free' })],
      accounts: [
        accountWrite({ email: 'bob@example.com', password: { hash: 'secret-1', mark: 'mark-1' } }),
      ],
      tokens: [tokenWrite({ name: 'phone', keyHash: 'hash-2', account: 'bob@example.com' })],
    })
    expect(rows).toEqual([
      {
        action: 'channel.create',
        subject: 'channel other',
        detail: { id: 2, speaks: { chat: 'https://upstream.example/v1' }, models: ['small'] },
      },
      {
        action: 'group.create',
        subject: 'group trial',
        detail: { id: 2, channels: ['other', 'main'], multiplier_millionths: 800_000 },
      },
      {
        action: 'price.set',
        subject: 'big',
        detail: { from: null, to: { id: 2, source: 'config', unit: 'free' } },
      },
      {
        action: 'account.create',
        subject: 'bob@example.com',
        detail: {
          role: 'user',
          status: 'active',
          opening_nano: 1_000_000_000,
          password: 'set',
        },
      },
      {
        action: 'token.create',
        subject: 'token 2',
        detail: { account: 'bob@example.com', name: 'phone', group },
      },
    ])
    expect(JSON.stringify(rows)).not.toMatch(/secret-1|mark-1|hash-2/)
  })

  test('what is changed is told from what to what; keys and passwords only that they are', async () => {
    const rows = await noted({
      channels: [
        channelWrite({ name: 'second' }),
        channelWrite({ status: 'draining', keysSealed: Uint8Array.of(9) }),
      ],
      groups: [groupWrite({ multiplierMillionths: 900_000, channels: ['second', 'main'] })],
      prices: [priceWrite('small', { unit: 'call', perCallNano: 50_000_000 })],
      accounts: [
        accountWrite({ status: 'disabled', password: { hash: 'secret-1', mark: 'mark-1' } }),
      ],
      tokens: [tokenWrite({ isStrict: true, expiresAt: now })],
    })
    expect(rows.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))).toEqual([
      {
        action: 'account.set',
        subject: ann,
        detail: { status: { from: 'active', to: 'disabled' }, password: 'changed' },
      },
      {
        action: 'channel.set',
        subject: 'channel main',
        detail: { draining: { from: 0, to: 1 }, keys: 'changed' },
      },
      expect.objectContaining({ action: 'channel.create', subject: 'channel second' }),
      {
        action: 'group.set',
        subject: `group ${group}`,
        detail: {
          multiplier_millionths: { from: 800_000, to: 900_000 },
          channels: { from: ['main'], to: ['second', 'main'] },
        },
      },
      {
        action: 'price.set',
        subject: 'small',
        detail: {
          from: { id: 1, source: 'config', unit: 'call', perCallNano: 40_000_000 },
          to: { id: 2, source: 'config', unit: 'call', perCallNano: 50_000_000 },
        },
      },
      {
        action: 'token.set',
        subject: 'token 1',
        detail: {
          strict: { from: false, to: true },
          expires_at: { from: null, to: new Date(now).toISOString() },
        },
      },
    ])
    expect(JSON.stringify(rows)).not.toMatch(/secret-1|mark-1/)
  })

  test('what is removed is named, with what went along', async () => {
    const rows = await noted({
      remove: {
        tokenIds: [1],
        accounts: [ann],
        groups: [group],
        channels: ['main'],
        prices: ['small'],
      },
    })
    expect(rows).toEqual([
      { action: 'channel.remove', subject: 'channel main', detail: { id: 1, groups: [group] } },
      { action: 'group.remove', subject: `group ${group}`, detail: { id: 1 } },
      {
        action: 'price.remove',
        subject: 'small',
        detail: {
          from: { id: 1, source: 'config', unit: 'call', perCallNano: 40_000_000 },
          to: { id: 2, source: 'config', unit: 'none' },
        },
      },
      {
        action: 'account.remove',
        subject: ann,
        detail: { balance_nano: 1_000_000_000, tokens: 1 },
      },
      { action: 'token.remove', subject: 'token 1', detail: { account: ann, name: 'laptop' } },
    ])
  })

  test('what changes nothing, what is refused and what nobody asked for leave none', async () => {
    const same = {
      channels: [channelWrite()],
      groups: [groupWrite()],
      accounts: [accountWrite()],
      tokens: [tokenWrite()],
    }
    expect(await noted(same)).toEqual([])
    const refused = { channels: [channelWrite({ weight: 7 })], remove: { tokenIds: [77] } }
    await expect(noted(refused)).rejects.toThrow('there is no token with id 77')
    await store.admin.write({ channels: [channelWrite({ weight: 8 })] })
    expect(await store.admin.audit(100)).toEqual([])
  })

  test("a vendor's list price comes without a row, and with one where it replaces a decision", async () => {
    const listed = { terms: { unit: 'call', perCallNano: 7 }, source: 'vendor', note: '' } as const
    const newer = { ...listed, terms: { unit: 'call', perCallNano: 8 } } as const
    expect(await noted({ prices: [{ model: 'new', ...listed }] })).toEqual([])
    expect(await noted({ prices: [{ model: 'new', ...newer }] })).toEqual([])
    expect(await noted({ prices: [{ model: 'small', ...listed }] })).toMatchObject([
      { action: 'price.set', subject: 'small', detail: { to: { source: 'vendor' } } },
    ])
    expect(await noted({ remove: { prices: ['small'] } })).toMatchObject([
      { action: 'price.remove', subject: 'small', detail: { to: { unit: 'none' } } },
    ])
  })
})
