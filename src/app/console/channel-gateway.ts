import type { TestTarget } from '../../admin/channels/entry.ts'
import type { ChannelGateway } from '../../admin/channels/service.ts'
import { openChannel } from '../../catalog/catalog.ts'
import { preferred } from '../../gateway/admit/options.ts'
import { callProbe } from '../../gateway/channels/probe-call.ts'
import { failureClasses } from '../../gateway/failures/failures.ts'
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
    const { apiKeys, proxy, timeouts, ...more } = settings
    const firstByteMs = Math.min(timeouts.firstByteMs, testLimitMs)
    const row = { ...more, timeouts: { ...timeouts, firstByteMs }, id: 0 }
    const channel = openChannel(row, apiKeys, proxy ?? undefined)
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
      failure: result.failure ?? null,
      why: result.failure === undefined ? null : failureClasses[result.failure].why,
      error: words === undefined ? null : hideKeys(words, channel).slice(0, maxErrorLength),
      first_byte_ms: answeredTick === undefined ? null : Math.round(answeredTick - begun),
      duration_ms: Math.round(tick() - begun),
    }
  }

  return { coolings: care.coolings, recover: care.recover, test, recent }
}
