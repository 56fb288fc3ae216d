import { type AccountService, createAccountService } from '../../admin/accounts/service.ts'
import { ApiError } from '../../admin/api-error.ts'
import type { Store } from '../../store/ports/store.ts'
import type { Config } from '../config/config.ts'
import { hashPassword } from '../config/password.ts'
import { checkAccount } from './rules.ts'

interface AccountAppParts {
  readonly config: () => Config
  readonly store: Store
  readonly accountsChanged: () => void
}

const passwordLength = { least: 10, most: 256 }

/** Accounts for administrators, by the rules of tollgate.yaml. */
export const createAccounts = ({
  config,
  store,
  accountsChanged,
}: AccountAppParts): AccountService =>
  createAccountService({
    ...{ store, accountsChanged },
    check: (entry) => checkAccount(entry, config().settings.countryHeader),
    isInFile: (email) => config().accounts.some((account) => account.email === email),
    balanceLowNano: () => config().settings.balanceLowThresholdNano,
    async readPassword(_email, password) {
      const { least, most } = passwordLength
      if (password.length < least || password.length > most) {
        const asked = `password: write ${least} to ${most} characters.`
        throw new ApiError('invalid_value', asked, { field: 'password', fault: 'unfit_password' })
      }
      const hash = await hashPassword(password)
      return { hash, mark: hash }
    },
  })
