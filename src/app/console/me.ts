import { ApiError } from '../../admin/api-error.ts'
import type { MeService } from '../../admin/me/routes.ts'
import { formatNano } from '../../billing/money.ts'
import { version } from '../../lib/build-info.ts'
import { feedUrl, statusLink } from '../../site/addresses.ts'
import { feedPaths } from '../../site/routes.ts'
import type { ConsoleParts } from './parts.ts'

/** Describes the signed-in user and the site; reads both again each time. */
export function createMeService({ config, store }: ConsoleParts): MeService {
  return {
    async describe({ accountId, email, role }) {
      const [account] = await store.admin.accountsNamed([email])
      if (!account) throw new ApiError('not_signed_in', 'This account is gone. Sign in again.')
      const { site, settings } = config()
      const lowNano = account.balanceLowNano ?? settings.balanceLowThresholdNano
      return {
        email,
        role,
        has_password: (await store.signIn.passwordHash(accountId)) !== null,
        balance: formatNano(account.balanceNano),
        reserved: formatNano(account.reservedNano),
        credit_limit: formatNano(account.creditLimitNano),
        balance_low_below: formatNano(lowNano),
        site: {
          name: site.name,
          version,
          base_url: site.baseUrl,
          overseas_base_url: site.overseasBaseUrl,
          price_feed_url: feedUrl(site.statusUrl) ?? feedPaths[0],
          status_url: statusLink(site),
        },
      }
    },
  }
}
