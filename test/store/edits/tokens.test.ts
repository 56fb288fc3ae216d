import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { initialValues } from '../../../src/resources/resource.ts'
import { tokenFields } from '../../../src/resources/token.ts'
import {
  maxTokensOfAccount,
  NameTaken,
  NotThere,
  tokenUndoMs,
} from '../../../src/store/ports/edits.ts'
import { type AnyStore, eachEngine, type TestStore } from '../each-engine.ts'

eachEngine((open) => {
  let opened: TestStore
  let store: AnyStore
  let now: number
  let accountId: number
  beforeEach(async () => {
    now = Date.UTC(2026, 10, 21)
    opened = await open(() => now, 'empty')
    store = opened.store
    const group = {
      name: 'default',
      status: 'active',
      ...{ description: '', platform: '' },
      ...{ multiplierMillionths: 1_000_000, channels: [], models: [], longContextPricing: true },
      onDisconnect: 'bill_observed',
      accounts: null,
      tools: null,
      regions: null,
      limits: { rpm: null, tpm: null, concurrency: null },
    } as const
    const account = {
      email: 'kim@example.com',
      role: 'user',
      status: 'active',
      openingNano: 0,
    } as const
    await store.admin.write({ groups: [group], accounts: [account] })
    accountId = (await store.admin.account(account.email))?.id ?? 0
  })
  afterEach(() => opened[Symbol.asyncDispose]())

  const edit = { actor: 'kim@example.com' }

  const { name: _, ...usual } = initialValues(tokenFields)
  /** A token of the account; its key is told by `key` alone. */
  const tokenOf = (key: string, name?: string) => ({
    ...usual,
    ...{ accountId, group: 'default' },
    ...{ keyHash: key, keySealed: new Uint8Array([1]), keyHint: 'sk-…' },
    ...(name !== undefined && { name }),
  })

  describe('a token that was removed', () => {
    let id: number
    beforeEach(async () => {
      id = await store.edits.addToken(tokenOf('key', 'laptop'), edit)
      await store.edits.removeToken({ id, accountId }, edit)
    })
    const restore = (actor = edit.actor) => store.edits.restoreToken({ id, accountId }, { actor })

    test('comes back within ten minutes, as it was', async () => {
      now += tokenUndoMs - 1
      await restore()
      expect(await store.edits.findToken({ id, accountId })).toMatchObject({ name: 'laptop' })
      // Who asks twice gets the same.
      await restore()
    })

    test('does not come back later', async () => {
      now += tokenUndoMs
      await expect(restore()).rejects.toBeInstanceOf(NotThere)
    })

    test('does not come back for another person, or to another account', async () => {
      await expect(restore('other@example.com')).rejects.toBeInstanceOf(NotThere)
      const wrong = { id, accountId: accountId + 1 }
      await expect(store.edits.restoreToken(wrong, edit)).rejects.toBeInstanceOf(NotThere)
    })

    test('does not take its name or its key from one that was made meanwhile', async () => {
      const other = await store.edits.addToken(tokenOf('another key', 'laptop'), edit)
      await expect(restore()).rejects.toBeInstanceOf(NameTaken)
      await store.edits.removeToken({ id: other, accountId }, edit)
      await store.edits.addToken(tokenOf('key', 'phone'), edit)
      await expect(restore()).rejects.toThrow('its key is in use again')
    })

    test('does not come back into a group that is gone, which is named', async () => {
      await store.admin.write({ remove: { groups: ['default'] } })
      await expect(restore()).rejects.toThrow('its group "default" was removed')
      await expect(restore('other@example.com')).rejects.toThrow('you did not remove it')
    })
  })

  test('an account has not more tokens than it may', async () => {
    const tokens = Array.from({ length: maxTokensOfAccount }, (_, i) => ({
      ...{ ...tokenOf(`key ${i}`), account: 'kim@example.com', name: `made ${i}` },
      status: 'active' as const,
    }))
    await store.admin.write({ tokens })
    await expect(store.edits.addToken(tokenOf('one more'), edit)).rejects.toThrow(
      '1000 tokens at most',
    )
  })

  test('a token is made for live accounts alone', async () => {
    await store.admin.write({ remove: { accounts: ['kim@example.com'] } })
    await expect(store.edits.addToken(tokenOf('key'), edit)).rejects.toBeInstanceOf(NotThere)
  })
})
