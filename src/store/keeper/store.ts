import type {
  Batch,
  Committed,
  LeaseSource,
  RecordStore,
  Reservation,
  Spool,
} from '../ports/records.ts'
import type { ChangedElsewhere, Store, StoreFile } from '../ports/store.ts'
import { StoreError } from '../ports/store-error.ts'
import type { Link } from './link.ts'
import type { News, Welcome } from './messages.ts'
import { type RemoteParts, type StorePart, storeMethods } from './methods.ts'

/** What a worker has of the keeper's store: what the way of a request needs. */
export type KeeperStore = Omit<RemoteParts, 'records'> &
  Pick<Store, 'changedElsewhere' | 'check' | 'close'> & {
    readonly records: RemoteParts['records'] &
      Required<Pick<RecordStore, 'isShared' | 'commit' | 'leases' | 'onOverrun'>>
    readonly file: Pick<StoreFile, 'trouble' | 'require'>
  }

/** A store on the other end of the link, which several processes share. */
export function createKeeperStore(link: () => Link, leases: LeaseSource) {
  const held = createHeld()
  const listeners: ((what: 'accounts' | 'all') => void)[] = []
  let changed: ChangedElsewhere = false
  let trouble: string | undefined
  let noteOverrun: Parameters<KeeperStore['records']['onOverrun']>[0] = () => {}

  function note(what: 'accounts' | 'all'): void {
    if (changed !== 'all') changed = what
    for (const listener of listeners) listener(what)
  }

  const parts = remoteParts(link)
  const store: KeeperStore = {
    ...parts,
    records: {
      ...parts.records,
      isShared: true,
      leases,
      onOverrun(listener) {
        noteOverrun = listener
      },
      async commit(batch) {
        const committed = await link().commit(batch)
        held.committed(batch, committed)
        return committed
      },
    },
    file: {
      trouble: () => trouble,
      require() {
        if (trouble !== undefined) throw new StoreError(trouble)
      },
    },
    async changedElsewhere() {
      if (!link().isUp()) throw new StoreError('The keeper of the store is away.')
      const found = changed
      changed = false
      return found
    },
    async check() {
      await link().call('store', 'check', [])
    },
    async close() {
      link().close()
    },
  }

  return {
    store,
    held: held.all,
    /** Calls back at once when others have changed something, which `changedElsewhere` gives, too. */
    onChanged: (listener: (what: 'accounts' | 'all') => void) => listeners.push(listener),
    up(welcome: Welcome, isFirst: boolean): void {
      trouble = welcome.trouble ?? undefined
      if (!isFirst) note('all') // what changed meanwhile was not told
    },
    news(news: News): void {
      if (news.kind === 'changed') note(news.what)
      else if (news.kind === 'overrun') noteOverrun(news.overrun)
      else if (news.kind === 'trouble') trouble = news.trouble ?? undefined
    },
  }
}

function remoteParts(link: () => Link): RemoteParts {
  const names = Object.entries(storeMethods)
  const parts = names.map(([part, methods]): [string, object] => [
    part,
    remotePart(link, part, methods),
  ])
  return Object.fromEntries(parts) as { [Part in StorePart]: RemoteParts[Part] }
}

const remotePart = (link: () => Link, part: string, methods: readonly string[]): object =>
  Object.fromEntries(
    methods.map((method) => [
      method,
      (...args: readonly unknown[]) => link().call(part, method, args),
    ]),
  )

/** This worker's stored reservations, which a keeper that starts anew must know. */
function createHeld() {
  const held = new Map<string, Reservation>()
  return {
    committed({ settle = [], release = [], reserve = [] }: Batch, { denied }: Committed): void {
      for (const { request } of settle) held.delete(request.requestId)
      for (const requestId of release) held.delete(requestId)
      for (const one of reserve) if (!denied.has(one.requestId)) held.set(one.requestId, one)
    },
    all: (): readonly Reservation[] => [...held.values()],
  }
}

/** Charges that the store did not take go into the keeper's spool, and the keeper stores them later. */
export function createKeeperSpool(link: () => Link): Spool {
  return {
    async add(settlements) {
      if (settlements.length > 0) await link().call('spool', 'add', [settlements])
    },
    has: () => false,
    stored() {},
    async quarantine(settlement) {
      await link().call('spool', 'add', [[settlement]])
    },
    count: () => 0,
    hasFailed: () => false,
    remark: () => undefined,
  }
}
