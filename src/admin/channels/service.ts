import type { SecretBox } from '../../lib/secrets.ts'
import { complaints } from '../../resources/values.ts'
import type { CoolingRow } from '../../store/ports/counters.ts'
import type { EditableCatalog, EditableChannel } from '../../store/ports/edits.ts'
import type { Store } from '../../store/ports/store.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { idKey, pageOf } from '../paging.ts'
import { type Checked, edit, requireRight, requireSeen } from '../refusals.ts'
import {
  type ChannelEntry,
  type CheckedChannel,
  changedFields,
  requireKeysForNewHost,
  type TestTarget,
  targetOf,
} from './entry.ts'
import { hostsOf, isWanted, shownWord } from './filter.ts'
import type {
  Channel,
  ChannelChange,
  ChannelQuery,
  ModelsAsked,
  ModelsListed,
  NewChannel,
  NewChannelTest,
  TestAsked,
  Tested,
} from './schema.ts'
import { suggestedPrice } from './suggested-price.ts'
import { createChannelViews } from './view.ts'

/** What an upstream lists; prices in USD per token, if it says so. */
export type FoundModels = Omit<ModelsListed, 'models'> & {
  readonly models: readonly {
    readonly id: string
    readonly inputUsd?: string
    readonly outputUsd?: string
  }[]
}

/** The running gateway's part in channels. */
export interface ChannelGateway {
  coolings(): readonly CoolingRow[]
  /** Ends all cooldowns of a channel. */
  recover(channelId: number): void
  /** Calls the upstream once, within a time limit. Never rejects for an upstream's failure. */
  test(target: TestTarget): Promise<Tested>
  /** Asks the upstream for its list of models, by the same rules. */
  listModels(target: TestTarget): Promise<FoundModels>
  /** Of the last hour. */
  recent(channelId: number): { readonly attempts: number; readonly failed: number }
}

export interface ChannelParts {
  readonly store: Pick<Store, 'edits'>
  readonly secrets: SecretBox
  readonly gateway: ChannelGateway
  readonly check: (entry: ChannelEntry) => Checked<CheckedChannel>
  readonly keyMark: (key: string) => string
  readonly inFile: () => ReadonlySet<string>
  readonly changed: () => Promise<void>
}

export type ChannelService = ReturnType<typeof createChannelService>

/** Channels, for administrators. */
export function createChannelService(parts: ChannelParts) {
  const { store, secrets, gateway, check, keyMark, changed } = parts
  const views = createChannelViews(parts)
  const { edits } = store

  async function find(id: number) {
    const catalog = await edits.editableCatalog()
    const row = catalog.channels.find((one) => one.id === id)
    if (row) return { row, catalog }
    throw new ApiError('not_found', `There is no channel ${id}. It may be removed.`)
  }

  function describe(row: EditableChannel, catalog: EditableCatalog): Channel {
    const opened = views.open(row)
    const checked = check(changedFields(opened, {}, keyMark))
    return views.whole(row, opened, catalog, checked.ok ? checked.warnings : checked.problems)
  }

  async function get(id: number): Promise<Channel> {
    const { row, catalog } = await find(id)
    return describe(row, catalog)
  }

  const order = {
    keyOf: idKey,
    sorts: {
      name: ({ name }: EditableChannel) => name,
      status: ({ status }: EditableChannel) => status,
      models: ({ models }: EditableChannel) => models.length,
      priority: ({ priority }: EditableChannel) => priority,
      failed: ({ id }: EditableChannel) => gateway.recent(id).failed,
    },
  }

  const sealedProxy = (proxy: string | null) => (proxy === null ? null : secrets.seal(proxy))

  /** Seals only changed secrets: a secret sealed again would look like a change. */
  async function change(who: SignedIn, id: number, wanted: ChannelChange): Promise<Channel> {
    const { row } = await find(id)
    requireSeen(wanted.revision, row, 'channel')
    const present = views.open(row)
    const checked = requireRight(check(changedFields(present, wanted, keyMark)))
    requireKeysForNewHost(present, checked, wanted)
    const { apiKeys, proxy, ...settings } = checked
    const isKept = JSON.stringify(apiKeys) === JSON.stringify(present.apiKeys)
    const write = {
      ...settings,
      ...(!isKept && { keysSealed: secrets.seal(JSON.stringify(apiKeys)) }),
      ...(proxy !== present.proxy && { proxySealed: sealedProxy(proxy) }),
    }
    // The revision that was read: concurrent changes are not overwritten.
    await edits.setChannel(id, write, { actor: who.email, revision: row.revision })
    await changed()
    return get(id)
  }

  return {
    async list(query: ChannelQuery) {
      const catalog = await edits.editableCatalog()
      const all = catalog.channels
      // Keys are opened only where the state must be known of all.
      const found = all.filter((row) => isWanted(row, query, catalog))
      const stateOf = (row: EditableChannel) => shownWord(views.item(row, catalog))
      const { state } = query
      const rows = state === undefined ? found : found.filter((row) => stateOf(row) === state)
      const page = pageOf(rows, query, order, (row) => views.item(row, catalog))
      return { ...page, hosts: [...new Set(all.flatMap(hostsOf))].toSorted() }
    },
    get,
    async create(who: SignedIn, wanted: NewChannel): Promise<Channel> {
      const { apiKeys, proxy, ...settings } = requireRight(
        check(changedFields(undefined, wanted, keyMark)),
      )
      const keysSealed = secrets.seal(JSON.stringify(apiKeys))
      const write = { ...settings, keysSealed, proxySealed: sealedProxy(proxy) }
      const id = await edit(() => edits.addChannel(write, { actor: who.email }), {
        field: 'name',
      })
      await changed()
      return get(id)
    },
    change: (who: SignedIn, id: number, wanted: ChannelChange) =>
      edit(() => change(who, id, wanted), { field: 'name', present: () => get(id) }),
    async remove(
      who: SignedIn,
      id: number,
      { take_out_of_groups = false, revision }: { take_out_of_groups?: boolean; revision?: string },
    ): Promise<void> {
      const removal = { actor: who.email, takeOutOfGroups: take_out_of_groups, revision }
      await edit(() => edits.removeChannel(id, removal), { present: () => get(id) })
      await changed()
    },
    async recover(who: SignedIn, id: number): Promise<Channel> {
      await edit(() => edits.recoverChannel(id, { actor: who.email }))
      gateway.recover(id)
      return get(id)
    },
    async test(id: number, asked: TestAsked): Promise<Tested> {
      const { row } = await find(id)
      return gateway.test(targetOf(views.open(row), asked, keyMark))
    },
    async testNew({ channel, ...asked }: NewChannelTest): Promise<Tested> {
      // A test needs no name.
      const named = { ...channel, name: channel.name || 'new' }
      const checked = check(changedFields(undefined, named, keyMark))
      return gateway.test(targetOf(requireRight(checked, 'channel.'), asked, keyMark))
    },
    async listModels({ channel }: ModelsAsked): Promise<ModelsListed> {
      // The list is asked for before there are a name and models.
      const whole = { ...channel, name: 'new', models: [{ id: 'any' }] }
      const checked = requireRight(check(changedFields(undefined, whole, keyMark)), 'channel.')
      const { models, ...found } = await gateway.listModels(targetOf(checked, {}, keyMark))
      // Under another name a channel could not offer it.
      const fit = models.filter(({ id }) => complaints.name(id) === undefined)
      return { ...found, models: fit.map((one) => ({ id: one.id, price: suggestedPrice(one) })) }
    },
  }
}
