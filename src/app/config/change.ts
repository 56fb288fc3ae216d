import type { SecretBox } from '../../lib/secrets.ts'
import type { StoredAccount, TokenView, Writes } from '../../store/ports/admin.ts'
import type { CatalogRows } from '../../store/ports/catalog.ts'
import type { Config } from './config.ts'
import { compareFields, type FieldChange, type Fields } from './diff-fields.ts'

/** What the store has: at least the accounts and tokens that the file names; all when pruning. */
export interface CurrentState {
  readonly catalog: CatalogRows
  readonly accounts: readonly StoredAccount[]
  readonly tokens: readonly TokenView[]
}

/** One difference, for people. A secret field says only that it is set or changed. */
export interface Change {
  readonly action: 'create' | 'update' | 'remove'
  readonly kind: 'channel' | 'group' | 'price' | 'account' | 'token'
  /** Its name; a token's is `account/name`. */
  readonly name: string
  readonly fields: readonly FieldChange[]
}

/** What the file would give an account that registered itself, and does not. */
export interface HeldBack {
  readonly account: string
  /** Such as `role`, `token laptop`, `group staff`. */
  readonly fields: readonly string[]
}

/** The way from what is to what shall be. */
export interface Plan {
  readonly changes: readonly Change[]
  readonly heldBack: readonly HeldBack[]
  /** What `AdminStore.write` must apply; empty when nothing differs. */
  readonly writes: Writes
}

/** What a comparison needs. */
export interface PlanInput {
  readonly config: Config
  readonly current: CurrentState
  readonly secrets: SecretBox
  /** Also remove what the file does not name. */
  readonly prune: boolean
}

/** A part of a plan: the changes of one kind, with what must be written and removed for them. */
export interface Part<Write, Removed = string> {
  readonly changes: readonly Change[]
  readonly writes: readonly Write[]
  readonly remove: readonly Removed[]
}

/** The change that makes `to` of `from` (undefined: it is new); undefined when they are equal. */
export function changeOf(
  kind: Change['kind'],
  name: string,
  from: Fields | undefined,
  to: Fields,
): Change | undefined {
  const fields = compareFields(from ?? {}, to)
  if (from === undefined) return { action: 'create', kind, name, fields }
  return fields.length > 0 ? { action: 'update', kind, name, fields } : undefined
}

/** The removal of everything in `live` that is not in `wanted`. */
export function removalsOf(
  kind: Change['kind'],
  live: readonly string[],
  wanted: readonly string[],
): Change[] {
  const kept = new Set(wanted)
  return live
    .filter((name) => !kept.has(name))
    .map((name) => ({ action: 'remove', kind, name, fields: [] }))
}

/** Finishes a part whose things are known by their name. */
export function partOf<Write>(
  planned: readonly { readonly change: Change | undefined; readonly write: Write }[],
  removals: readonly Change[],
): Part<Write> {
  const changed = planned.flatMap(({ change, write }) => (change ? [{ change, write }] : []))
  return {
    changes: [...changed.map(({ change }) => change), ...removals],
    writes: changed.map(({ write }) => write),
    remove: removals.map(({ name }) => name),
  }
}
