import type { Sessions } from '../admin/access.ts'
import { createSetupCode } from '../admin/sign-in/setup.ts'
import { createOverdraftWarning } from '../gateway/money/overdraft.ts'
import { createInProcess } from '../gateway/serve/routes.ts'
import { releaseKey, version } from '../lib/build-info.ts'
import type { Clock } from '../lib/clock.ts'
import { coalesce, createMutex } from '../lib/concurrency.ts'
import { createReadiness } from '../site/health.ts'
import type { Committed } from '../store/ports/records.ts'
import type { Store } from '../store/ports/store.ts'
import type { Config } from './config/config.ts'
import { createChannelGateway } from './console/channel-gateway.ts'
import { createConsoleDoor } from './console/door.ts'
import { createOverdrawnCount } from './counts.ts'
import { createHearing } from './database-watch.ts'
import { createGateway, type GatewayParts } from './gateway.ts'
import type { Workers } from './group/keeper.ts'
import { createHttpApp } from './http-app.ts'
import { createNodeLoad, type Membership } from './membership.ts'
import { createAddressOf, createPlazaAccess, createSite } from './site.ts'
import { seenBeside } from './updates/seen.ts'
import { watchReleases } from './updates/watch.ts'
import { createVendorPriceSync } from './vendor-price-sync.ts'

interface TollgateParts extends Omit<GatewayParts, 'store' | 'onCommitted' | 'onConfig'> {
  readonly store: Store
  /** This process among the nodes; absent: it is the only one. */
  readonly membership?: Pick<Membership, 'id' | 'known'> | undefined
  readonly sessions?: Sessions
  readonly sessionTick?: Clock | undefined
  /** Processes that answer for this one; absent: it answers all requests itself. */
  readonly workers?:
    | Pick<Workers, 'changed' | 'applied' | 'isBehind' | 'load' | 'recent' | 'over'>
    | undefined
}

export type Tollgate = Awaited<ReturnType<typeof createTollgate>>

/** The whole program, wired; the caller listens. Throws when the store can't be read. */
export async function createTollgate(parts: TollgateParts) {
  const { store, secrets, log, clock, counters, workers } = parts
  const tick = () => performance.now()
  /** Reads in turn: an earlier one must not replace a later one. */
  const inTurn = createMutex()
  const gateway = await createGateway({
    ...parts,
    onCommitted: (committed: Committed) => overdraft.committed(committed),
    onConfig: (config: Config) => site.configure(config),
  })
  const { authenticator, availability, catalog, care, forwarder, gatekeeper, routeParts } = gateway
  const overdraft = createOverdraftWarning({
    ...{ store: store.admin, account: authenticator.account, tick, log },
  })
  const overdrawn = createOverdrawnCount(store.admin, tick)
  const hearing = createHearing(store, () => inTurn(gateway.readAnew), tick)
  const readiness = createReadiness({
    isGone: () => store.file?.trouble() !== undefined,
    isBehind: () => gateway.isBehind() || (workers?.isBehind() ?? false),
    ...{ check: store.check, spool: parts.spool },
    ...{ isDeaf: hearing.isDeaf, isShort: gateway.descriptors.isShort, tick, log },
  })
  const site = createSite({
    ...{ config: gateway.config(), catalog: catalog.current, documents: store.documents },
    ...{ clock, log, plazaRefusal: createPlazaAccess(gatekeeper), status: availability, readiness },
    addressOf: createAddressOf(gatekeeper),
  })
  await gateway.beginTimers()
  const refresh = coalesce(() =>
    inTurn(async () => {
      await gateway.readAnew().finally(() => workers?.changed('all'))
      await care.refresh()
      await site.refresh()
      await workers?.applied()
    }),
  )
  const syncVendorPrices = createVendorPriceSync(store, catalog.rows().channels)
  /** Other changes do not depend on the prices. */
  const changed = coalesce(async () => {
    await syncVendorPrices().finally(refresh)
  })
  const ownLoad = createNodeLoad(forwarder, counters, store.documents, tick)
  const load = () => workers?.load(ownLoad()) ?? ownLoad()
  function accountsChanged(): void {
    authenticator.forget()
    workers?.changed('accounts')
  }
  const releases = watchReleases({
    ...{ address: () => gateway.config().updates, key: releaseKey(), installed: version },
    ...{ seen: seenBeside(parts.config.store), log, repeat: parts.repeat },
  })
  const own = {
    totals: () => availability.totals,
    catalog: catalog.current,
    requestsInFlight: forwarder.active,
    streamsInFlight: forwarder.activeStreams,
    spooled: () => parts.spool?.count() ?? 0,
    coolings: care.coolings,
    overdrawn: overdrawn.read,
    load,
    ...{ memory: gateway.memory, slots: gateway.slots },
    membership: parts.membership,
  }
  const metrics = workers?.over(own) ?? own
  const setupCode = createSetupCode(store.signIn, secrets.texts)
  const door = createConsoleDoor(
    {
      ...{ config: gateway.config, store, secrets, log, clock, sessions: parts.sessions },
      tokenChanged(keyHash) {
        authenticator.forgetToken(keyHash)
        workers?.changed('accounts')
      },
      accountsChanged,
      ...{ catalog, changed, metrics, setupCode, coolings: care.coolings },
      channels: createChannelGateway({
        ...{ care, outbound: gateway.outbound, clock, tick },
        recent(channelId) {
          const found = gateway.recent.of(channelId)
          return workers?.recent(found, channelId) ?? found
        },
      }),
      status: availability,
      ownPages: site,
      newerRelease: releases.newer,
      ...{ sessionTick: parts.sessionTick ?? tick, repeat: parts.repeat },
      askModel: createInProcess(routeParts),
    },
    log,
  )
  void releases.look() // awaited by its stop
  return {
    app: createHttpApp({
      ...{ models: gateway.models, notOffered: gateway.notOffered },
      ...{ site, door, log, onRefused: gateway.onRefused },
      // A proxy must find no kept connection closed on which it has just sent a request.
      closesConnections: () => readiness.isDraining() || gateway.slots.areConnectionsShort(),
    }),
    configure(config: Config): void {
      gateway.configure(config)
      void releases.look()
    },
    /** What other processes changed in the store since the last call; throws when it is unavailable. */
    changedElsewhere: hearing.changedElsewhere,
    accountsChanged,
    refresh,
    /** As `refresh`, after manual changes: channels may have new models with a list price. */
    changed,
    /** A code that creates the first administrator, equal on all nodes; undefined: one exists. */
    openSetup: async () => ((await store.signIn.hasAdministrator()) ? undefined : setupCode.open()),
    metrics,
    memory: gateway.memory,
    load,
    active: gateway.active,
    /** Fails readiness; requests are still accepted. */
    drain: readiness.drain,
    /** Refuses new requests on open connections. */
    close(): void {
      gateway.close()
      door.close()
    },
    interruptAll: gateway.interruptAll,
    settled: gateway.settled,
    isBehind: gateway.isBehind,
    async stop(): Promise<void> {
      await overdraft.idle()
      await overdrawn.idle()
      await door.stop()
      await gateway.stop()
      await site.stop()
      await hearing.idle()
      await releases.stop()
      await counters?.close()
    },
  }
}
