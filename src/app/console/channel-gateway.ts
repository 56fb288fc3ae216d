import type { TestTarget } from '../../admin/channels/entry.ts'
import type { ChannelGateway } from '../../admin/channels/service.ts'
import { type Channel, openChannel } from '../../catalog/catalog.ts'
import { preferred } from '../../gateway/admit/options.ts'
import { listModels } from '../../gateway/channels/model-list.ts'
import { callProbe } from '../../gateway/channels/probe-call.ts'
import { type FailureName, failureClasses } from '../../gateway/failures/failures.ts'
import type { Outbound } from '../../gateway/outbound/outbound.ts'
import { hideKeys } from '../../gateway/upstream/hide-secrets.ts'
import type { Clock } from '../../lib/clock.ts'
import { responses } from '../../protocols/responses/index.ts'
import type { ChannelCare } from '../channel-care.ts'
import type { RecentCounts } from '../counts.ts'

interface ChannelGatewayParts {
  readonly care: Pick<ChannelCare, 'coolings' | 'recover'>
  readonly outbound: Outbound
  readonly recent: (channelId: number) => RecentCounts
  readonly clock: Clock
  readonly tick: Clock
}

/** A person waits for the test, and an idle connection to us ends after this time. */
const testLimitMs = 20_000
const maxErrorLength = 2_000

/** What the console uses of the running gateway to show and test channels. */
export function createChannelGateway(parts: ChannelGatewayParts): ChannelGateway {
  const { care, outbound, recent, clock, tick } = parts

  async function test({ channel: settings, key, upstreamModel, protocol }: TestTarget) {
    const channel = openForTest(settings)
    const begun = tick()
    let answeredTick: number | undefined
    const timed: Outbound = async (call) => {
      const response = await outbound(call)
      answeredTick = tick()
      return response
    }
    const target = { channel, key, model: upstreamModel, protocol }
    const result = await callProbe(
      { outbound: timed, clock },
      target,
      // The probe's own limit ends before this one.
      AbortSignal.timeout(testLimitMs + 5_000),
    )
    const words =
      result.errorMessage ?? (result.error instanceof Error ? result.error.message : undefined)
    return {
      ok: result.failure === undefined,
      protocol: protocol ?? preferred(Object.keys(channel.speaks), responses).name,
      model: upstreamModel,
      status: result.status,
      ...told(result.failure, words, channel),
      first_byte_ms: answeredTick === undefined ? null : Math.round(answeredTick - begun),
      duration_ms: Math.round(tick() - begun),
    }
  }

  async function list({ channel: settings, key }: TestTarget) {
    const channel = openForTest(settings)
    const protocol = preferred(Object.keys(channel.speaks), responses)
    const limit = AbortSignal.timeout(testLimitMs + 5_000)
    const found = await listModels(outbound, { channel, key, protocol }, limit)
    const { models, failure, status, errorMessage } = found
    return {
      ok: failure === undefined,
      protocol: protocol.name,
      ...{ models, status },
      ...told(failure, errorMessage, channel),
    }
  }

  return { coolings: care.coolings, recover: care.recover, test, listModels: list, recent }
}

/** A channel that is asked while a person waits. */
function openForTest({ apiKeys, proxy, timeouts, ...more }: TestTarget['channel']): Channel {
  const firstByteMs = Math.min(timeouts.firstByteMs, testLimitMs)
  const row = { ...more, timeouts: { ...timeouts, firstByteMs }, id: 0 }
  return openChannel(row, apiKeys, proxy ?? undefined)
}

/** A failure by its name and in words; the upstream's own without keys. */
const told = (failure: FailureName | undefined, words: string | undefined, channel: Channel) => ({
  failure: failure ?? null,
  why: failure === undefined ? null : failureClasses[failure].why,
  error: words === undefined ? null : hideKeys(words, channel).slice(0, maxErrorLength),
})
