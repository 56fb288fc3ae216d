import { limitSessions } from '../../admin/access.ts'
import { createAccountRecovery } from '../../admin/accounts/recovery.ts'
import { createAccountService } from '../../admin/accounts/service.ts'
import type { AdminServices } from '../../admin/api.ts'
import { hintsOf } from '../../admin/channels/keys.ts'
import { createChannelService } from '../../admin/channels/service.ts'
import { createDiagnosis } from '../../admin/diagnosis/service.ts'
import { createGroupService } from '../../admin/groups/service.ts'
import { createGroupViews, type GroupViewParts } from '../../admin/open-groups/views.ts'
import { createLiveRequests } from '../../admin/requests/live.ts'
import { checkNewPassword, hashPassword } from '../../admin/sign-in/hashing.ts'
import { createTokenService } from '../../admin/tokens/service.ts'
import { hideUpstream } from '../../gateway/serve/receipt.ts'
import { statusLink } from '../../site/addresses.ts'
import { createKeyMark } from '../channel-care.ts'
import { configState } from './config-export/state.ts'
import { createMaintenance } from './maintenance.ts'
import { createMeService } from './me.ts'
import { createGatewayNow, createNodeService } from './nodes.ts'
import type { ConsoleParts, PeerOf } from './parts.ts'
import { createPlayground } from './playground.ts'
import { createPriceService } from './prices/service.ts'
import { createReadingServices, type GatewayFacts } from './reading/app.ts'
import { checkAccount, checkChannel, checkGroup, checkToken } from './rules.ts'
import { createSettings } from './settings.ts'
import { createConsoleSignIn } from './sign-in.ts'

/** What only this process knows for lists and charts, which another process may make. */
export function createFacts(parts: ConsoleParts): GatewayFacts {
  const { config, metrics, catalog, secrets } = parts
  const keyMark = createKeyMark(secrets)
  return {
    usuallyLowNano: async () => config().settings.balanceLowThresholdNano,
    now: createGatewayNow(parts),
    configState: async () => configState(config(), catalog.rows(), secrets),
    hideUpstream: async (rows) => hideUpstream(rows, metrics.catalog()),
    async channelKeys(ids) {
      const wanted = catalog.rows().channels.filter(({ id }) => ids.includes(id))
      return new Map(
        wanted.map(({ id, name, keysSealed }) => {
          const keys = JSON.parse(secrets.open(keysSealed)) as readonly string[]
          return [id, { name, hints: hintsOf(keys, keyMark) }]
        }),
      )
    },
  }
}

export function createServices(parts: ConsoleParts, facts: GatewayFacts, peerOf: PeerOf) {
  const { config, store, secrets, changed, clock, log } = parts
  const { lists, records, admin: accounts } = store
  const signIn = createConsoleSignIn(parts, peerOf)
  const sessions = limitSessions(parts.sessions ?? signIn.sessions, parts.sessionTick)
  const maintenance = createMaintenance(parts, signIn.prove)
  const { repeat } = parts
  const liveRequests = createLiveRequests({ lists, accounts, sessions, log, repeat })
  const look: GroupViewParts['look'] = (work) => parts.status.look(async (figures) => work(figures))
  const services: AdminServices = {
    ...createReadingServices({ store, facts, clock, log }),
    accounts: createAccountService({
      ...{ store, accountsChanged: parts.accountsChanged },
      check: (entry) => checkAccount(entry, config().settings.countryHeader),
      isInFile: (email) => config().accounts.some((account) => account.email === email),
      balanceLowNano: () => config().settings.balanceLowThresholdNano,
      async readPassword(_email, password) {
        checkNewPassword(password, 'password')
        const hash = await hashPassword(password)
        return { hash, mark: hash }
      },
    }),
    accountRecovery: createAccountRecovery({ store, prove: signIn.prove, hash: hashPassword }),
    channels: createChannelService({
      ...{ store, secrets, changed },
      gateway: parts.channels,
      check: checkChannel,
      keyMark: createKeyMark(secrets),
      inFile: () => namesOf(config().channels),
    }),
    diagnosis: createDiagnosis({
      ...{ lists, records, accounts, clock, channelKeys: facts.channelKeys },
      availability: store.availability,
      look,
      catalog: parts.metrics.catalog,
      showsGroups: () => config().settings.modelPlazaEnabled,
      statusUrl: () => statusLink(config().site),
    }),
    groups: createGroupService({
      ...{ store, changed },
      check: (entry) => checkGroup(entry, config().settings.countryHeader),
      inFile: () => namesOf(config().groups),
    }),
    liveRequests,
    maintenance,
    me: createMeService(parts),
    nodes: createNodeService(parts, parts.metrics),
    openGroups: createGroupViews({ catalog: parts.catalog.current, look }),
    origins() {
      const { baseUrl, overseasBaseUrl } = config().site
      return [baseUrl, overseasBaseUrl]
        .flatMap((url) => url ?? [])
        .map((url) => new URL(url).origin)
    },
    ownPages: parts.ownPages,
    playground: createPlayground(parts, peerOf),
    prices: createPriceService(parts),
    settings: createSettings(parts),
    signIn,
    tokens: createTokenService({
      ...parts,
      ...{ catalog: parts.metrics.catalog, prove: signIn.prove, check: checkToken },
      isInFile: ({ account, keyHash }) =>
        config()
          .accounts.filter(({ email }) => email === account)
          .some(({ tokens }) => tokens.some(({ key }) => secrets.keyedHash(key) === keyHash)),
    }),
  }
  return {
    services,
    sessions,
    close: liveRequests.close,
    async stop(): Promise<void> {
      await liveRequests.stop()
      await maintenance.stop()
    },
  }
}

const namesOf = (things: readonly { readonly name: string }[]) =>
  new Set(things.map(({ name }) => name))
