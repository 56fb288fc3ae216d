import { type RunningBinary, runBinary, startBinary } from '../../support/binary.ts'
import { type FakeUpstream, startFakeUpstream } from '../../support/fake-upstream.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../../support/tollgate-yaml.ts'
import { rawCall } from '../raw-client.ts'
import { vendorAnswer } from '../vendor-answers.ts'

/** Token keys by what is wrong with them; `good` has nothing wrong. */
export const keys = {
  good: testKey,
  unknown: 'sk-nobody-0123456789abcdef',
  deleted: 'sk-deleted-0123456789abcdef',
  orphan: 'sk-orphan-0123456789abcdef',
  disabled: 'sk-disabled-0123456789abcdef',
  expired: 'sk-expired-0123456789abcdef',
  elsewhere: 'sk-elsewhere-0123456789abcdef',
  restricted: 'sk-restricted-0123456789abcdef',
  groupOff: 'sk-groupoff-0123456789abcdef',
  blocked: 'sk-blocked-0123456789abcdef',
  poor: 'sk-poor-0123456789abcdef',
  // Several things wrong at once, for the order of checks: each lacks one fault of the one before.
  allDisabled: 'sk-order-disabled-0123456789',
  allBlocked: 'sk-order-blocked-0123456789',
  allElsewhere: 'sk-order-elsewhere-0123456789',
  allExpired: 'sk-order-expired-0123456789',
  allPoor: 'sk-order-poor-0123456789',
  allRestricted: 'sk-order-restricted-0123456789',
} as const

const longAgo = '2020-01-01T00:00:00Z'
const notHere = ['203.0.113.0/24']
const past = { expires_at: longAgo }
const far = { ip_allow: notHere }
const few = { models: ['other-model'] }

const token = (name: keyof typeof keys, more: object = {}) => ({
  name,
  key: keys[name],
  group: 'default',
  ...more,
})

const accounts = [
  {
    email: 'tokens@example.com',
    balance: 10,
    tokens: [
      token('deleted'),
      token('disabled', { enabled: false }),
      token('expired', past),
      token('elsewhere', far),
      token('restricted', few),
      token('groupOff', { group: 'off' }),
      token('allRestricted', { ...few, group: 'off' }),
    ],
  },
  { email: 'orphan@example.com', balance: 10, tokens: [token('orphan')] },
  {
    email: 'blocked@example.com',
    enabled: false,
    balance: 0,
    tokens: [
      token('allDisabled', { enabled: false, ...far, ...past, ...few }),
      token('allBlocked', { ...far, ...past, ...few }),
    ],
  },
  { email: 'blocked-only@example.com', enabled: false, balance: 10, tokens: [token('blocked')] },
  {
    email: 'poor@example.com',
    balance: 0,
    tokens: [
      token('poor'),
      token('allElsewhere', { ...far, ...past, ...few }),
      token('allExpired', { ...past, ...few }),
      token('allPoor', few),
    ],
  },
]

const models = ['test-model', 'other-model', 'vendor/slashed', 'family:tag', 'unlisted']
const more = ['chat-only', 'gemini-only', 'unpriced']

export interface ContractGateway extends AsyncDisposable {
  readonly tollgate: RunningBinary
  readonly upstream: FakeUpstream
}

/** A gateway with every kind of token, model and group that CONTRACT 1 tells apart. */
export async function startContractGateway(settings: object = {}): Promise<ContractGateway> {
  const upstream = startFakeUpstream(vendorAnswer)
  const extra = (name: string, protocols?: Parameters<typeof speaksAt>[1]) => ({
    name,
    speaks: speaksAt(upstream.url, protocols),
    api_key: upstreamKey,
    models: [name],
    allow_private: true,
  })
  const price = { input: 1, output: 2 }
  const yaml = (listen: string) =>
    tollgateYaml({
      listen,
      upstream: upstream.url,
      models,
      settings,
      // It has the legacy form of completions itself.
      channel: { quirks: ['text_completions'] },
      group: {
        channels: ['main', ...more],
        models: [...models.filter((id) => id !== 'unlisted'), ...more],
      },
      moreChannels: [
        extra('chat-only', ['chat']),
        extra('gemini-only', ['gemini']),
        extra('unpriced'),
      ],
      moreGroups: [{ name: 'off', enabled: false, channels: ['main'] }],
      moreAccounts: accounts,
      prices: { 'chat-only': price, 'gemini-only': price },
    })
  const tollgate = await startBinary({ args: ['serve', '--log', 'json'], config: yaml })
  await removeForGood(tollgate)
  return {
    tollgate,
    upstream,
    async [Symbol.asyncDispose]() {
      await tollgate.stop()
      await upstream.stop()
    },
  }
}

/** Deletes what the tests need deleted, and waits until the running gateway knows. */
async function removeForGood(tollgate: RunningBinary): Promise<void> {
  const config = ['--config', `${tollgate.cwd}/tollgate.yaml`]
  const run = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await runBinary([...args, ...config])
    if (exitCode !== 0) throw new Error(`tollgate ${args.join(' ')} failed: ${stderr}`)
    return stdout
  }
  const rows = JSON.parse(await run('token', 'list', '--json')) as { id: number; name: string }[]
  const id = rows.find(({ name }) => name === 'deleted')?.id
  await run('token', 'remove', String(id), '--yes')
  await run('account', 'remove', 'orphan@example.com', '--yes')
  const refused = async (key: string) => {
    const headers = [['x-api-key', key]] as const
    return (await rawCall(tollgate.port, { path: '/v1/models', headers })).status === 401
  }
  for (const key of [keys.deleted, keys.orphan]) {
    const end = performance.now() + 3000
    while (!(await refused(key))) {
      if (performance.now() > end) throw new Error('A deletion is not seen after 3 s.')
      await Bun.sleep(20)
    }
  }
}
