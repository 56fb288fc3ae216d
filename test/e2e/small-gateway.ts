import { type RunningBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { vendorAnswer } from './vendor-answers.ts'

/** The largest body that the gateway of `startSmallGateway` takes: 512 KiB. */
export const maxBody = 512 * 1024

/** The header with the key of its one token. */
export const keyHeader = ['authorization', `Bearer ${testKey}`] as const

export interface SmallGateway extends AsyncDisposable {
  readonly tollgate: RunningBinary
  readonly upstream: FakeUpstream
  /** What the log says that it must not, after any input: faults of the gateway's own, or the key. */
  complaints(): string[]
}

/** A gateway that takes small bodies only, before an upstream that always answers well. */
export async function startSmallGateway(): Promise<SmallGateway> {
  const upstream = startFakeUpstream(vendorAnswer)
  const server = { max_body: '512KiB' }
  const config = (listen: string) =>
    tollgateYaml({
      listen,
      upstream: upstream.url,
      channel: { quirks: ['text_completions'] },
      server,
    })
  const tollgate = await startBinary({ args: ['serve', '--log', 'json'], config })
  const fault = /internal error|unhandled|"level":"error"|panic/i
  return {
    tollgate,
    upstream,
    complaints: () =>
      [...tollgate.stdout, ...tollgate.stderr].filter(
        (line) => fault.test(line) || line.includes(testKey),
      ),
    async [Symbol.asyncDispose]() {
      await tollgate.stop()
      await upstream.stop()
    },
  }
}
