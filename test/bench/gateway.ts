import { applyConfig } from '../../src/app/apply.ts'
import { loadConfig } from '../../src/app/config/load.ts'
import { listen } from '../../src/app/listen.ts'
import { createTollgate } from '../../src/app/tollgate.ts'
import { createLogger } from '../../src/lib/log.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import type { MoneyLimit } from '../../src/store/ports/records.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'

/** A gateway for `settlement.ts`: `settled`, or `unsettled` with a store that stores no request. */
const [variant = '', upstream = '', path = ''] = process.argv.slice(2)

const text = tollgateYaml({ listen: '127.0.0.1:0', upstream, balance: 1_000_000 })
const loaded = loadConfig({ text, file: `${path}.yaml`, env: {} })
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
const clock = Date.now
const real = openSqliteStore({ path, clock })
const secrets = createSecretBox('a secret for measuring, of 32 characters or more')
await applyConfig({ store: real, secrets }, loaded.config, { prune: false })

const nothing = { denied: new Map<string, MoneyLimit>(), accounts: [], tokens: [] }
const store: Store =
  variant === 'settled'
    ? real
    : { ...real, records: { ...real.records, commit: async () => nothing } }
const log = createLogger({ sink: () => {}, pretty: false, clock, level: 'warn' })
const tollgate = await createTollgate({ config: loaded.config, store, secrets, log, clock })
console.log(listen(tollgate.app, { host: '127.0.0.1', port: 0 }).url)
