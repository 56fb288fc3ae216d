import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import { groupFields } from '../../resources/group.ts'
import { changedEntry, toWritten } from '../../resources/resource.ts'
import type { GroupSettings } from '../../store/ports/catalog.ts'
import type { EditableGroup } from '../../store/ports/edits.ts'
import { complainOfMembers } from '../../store/ports/group-access.ts'
import type { Store } from '../../store/ports/store.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { idKey, pageOf } from '../paging.ts'
import { type Checked, edit, type Remark, requireRight, requireSeen } from '../refusals.ts'
import type { GroupChange, GroupQuery, GroupView, MultiplierEffect, NewGroup } from './schema.ts'
import { createGroupViews, effectOf } from './view.ts'

export interface GroupParts {
  readonly store: Pick<Store, 'edits'> & { readonly admin: Pick<Store['admin'], 'accountsAt'> }
  readonly check: (entry: object) => Checked<GroupSettings>
  readonly inFile: () => ReadonlySet<string>
  readonly changed: () => Promise<void>
}

export type GroupService = ReturnType<typeof createGroupService>

interface Removal {
  readonly move_tokens_to?: number
  readonly revision?: string
}

/** A group's entry of tollgate.yaml after a change. */
const entryOf = (row: GroupSettings, change: GroupChange = {}) => ({
  name: change.name ?? row.name,
  ...changedEntry(groupFields, row, change),
})

/** Groups, for administrators. */
export function createGroupService({ store, check, inFile, changed }: GroupParts) {
  const { edits } = store

  async function find(id: number) {
    const catalog = await edits.editableCatalog()
    const row = catalog.groups.find((one) => one.id === id)
    if (row) return { row, views: createGroupViews(catalog, inFile()) }
    throw new ApiError('not_found', `There is no group ${id}. It may be removed.`)
  }

  /** Addresses without an account that may use the group. */
  async function remarksOfMembers(accounts: readonly string[]): Promise<Remark[]> {
    if (accounts.length === 0) return []
    const known = await store.admin.accountsAt(accounts)
    return complainOfMembers(accounts, known).map(({ at, email, complaint }) => ({
      field: `accounts.${at}`,
      message: `${email} ${complaint}.`,
    }))
  }

  async function get(id: number): Promise<GroupView> {
    const { row, views } = await find(id)
    const checked = check(entryOf(row))
    const remarks = checked.ok ? checked.warnings : checked.problems
    return views.whole(row, [...remarks, ...(await remarksOfMembers(row.accounts ?? []))])
  }

  async function change(who: SignedIn, id: number, wanted: GroupChange): Promise<GroupView> {
    const { row } = await find(id)
    requireSeen(wanted.revision, row, 'group')
    const group = requireRight(check(entryOf(row, wanted)))
    // The revision that was read: concurrent changes are not overwritten.
    await edits.setGroup(id, group, { actor: who.email, revision: row.revision })
    await changed()
    return get(id)
  }

  return {
    async list(query: GroupQuery) {
      const catalog = await edits.editableCatalog()
      const { item } = createGroupViews(catalog, inFile())
      const sorts = {
        name: ({ name }: EditableGroup) => name,
        status: ({ status }: EditableGroup) => status,
        rate_multiplier: ({ multiplierMillionths }: EditableGroup) => multiplierMillionths,
        offers: (row: EditableGroup) => item(row).offers,
        tokens: ({ tokenCount }: EditableGroup) => tokenCount,
      }
      return pageOf(catalog.groups, query, { keyOf: idKey, sorts }, item)
    },
    get,
    async create(who: SignedIn, wanted: NewGroup): Promise<GroupView> {
      const group = requireRight(check({ name: wanted.name, ...toWritten(groupFields, wanted) }))
      const id = await edit(() => edits.addGroup(group, { actor: who.email }), {
        field: 'name',
      })
      await changed()
      return get(id)
    },
    change: (who: SignedIn, id: number, wanted: GroupChange) =>
      edit(() => change(who, id, wanted), { field: 'name', present: () => get(id) }),
    async remove(who: SignedIn, id: number, { move_tokens_to, revision }: Removal) {
      const removal = { actor: who.email, moveTokensTo: move_tokens_to, revision }
      const moved = await edit(() => edits.removeGroup(id, removal), { present: () => get(id) })
      await changed()
      return { moved_tokens: moved }
    },
    async effect(id: number, rate_multiplier: string): Promise<MultiplierEffect> {
      const { row, views } = await find(id)
      const group = requireRight(check(entryOf(row, { rate_multiplier })))
      const [now, then] = [row.multiplierMillionths, group.multiplierMillionths]
      return {
        rate_multiplier: formatDecimal(then, multiplierDecimals),
        tokens: row.tokenCount,
        ...effectOf(views.offersOf(id), now, then),
      }
    },
  }
}
