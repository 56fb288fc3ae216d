import { parse, stringify } from 'yaml'
import { loadConfig } from '../../src/app/config/load.ts'
import { type Instance, openInstance } from '../../src/app/instance.ts'
import { type Serving, serve } from '../../src/app/serve.ts'
import { createLogger } from '../../src/lib/log.ts'
import { type TollgateYamlOptions, testKey, tollgateYaml } from '../support/tollgate-yaml.ts'

/** The whole app in this process, listening on a free port, its database in memory or in a file. */
export interface Running extends AsyncDisposable {
  readonly instance: Instance
  readonly serving: Serving
  /** Lines of warnings and errors that it logged. */
  readonly complaints: readonly string[]
  /** Puts another configuration in force, as SIGHUP does. */
  configure(options: Partial<ServingOptions>): Promise<void>
  get(path: string): Promise<unknown>
  /** Asks a model, with the default token unless another is named; `path` decides the protocol. */
  ask(path: string, body: object, key?: string): Promise<Response>
}

/** Reads a configuration that must be right. */
export function configOf(yaml: string) {
  const loaded = loadConfig({ text: yaml, file: '/nowhere/tollgate.yaml', env: {} })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  return loaded.config
}

export interface ServingOptions extends TollgateYamlOptions {
  /** All that `prices:` has, without the default price of every model. */
  readonly onlyPrices?: object
}

function readOptions({ onlyPrices, ...options }: ServingOptions) {
  const yaml = tollgateYaml({ listen: '127.0.0.1:0', store: ':memory:', ...options })
  return configOf(onlyPrices ? stringify({ ...parse(yaml), prices: onlyPrices }) : yaml)
}

/** Starts the app as `tollgate serve` does. */
export async function startServing(options: ServingOptions): Promise<Running> {
  const complaints: string[] = []
  const read = (more: Partial<ServingOptions> = {}) => readOptions({ ...options, ...more })
  let config = read()
  const instance = await openInstance(config)
  const log = createLogger({
    sink: (line) => complaints.push(line),
    pretty: false,
    clock: Date.now,
    level: 'warn',
  })
  const serving = await serve({ config, instance, log, reload: async () => config })
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  return {
    instance,
    serving,
    complaints,
    async configure(more) {
      config = read(more)
      await serving.reload()
    },
    get: async (path) => (await fetch(serving.url + path, { headers, proxy: false })).json(),
    ask: (path, body, key) =>
      fetch(serving.url + path, {
        method: 'POST',
        headers: { ...headers, ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(body),
        proxy: false,
      }),
    [Symbol.asyncDispose]: () => serving.stop(),
  }
}
