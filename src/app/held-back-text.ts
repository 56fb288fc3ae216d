import type { HeldBack } from './config/change.ts'

/** What an operator says when an address is its owner's. */
export const vouchCommand = (account: string): string => `tollgate account set ${account} --vouch`

/** Says that the file gives an account nothing, and what makes it so. */
export const heldBackText = ({ account, fields }: HeldBack): string =>
  `account ${account} registered itself, and nobody has vouched for its address: the file does not ` +
  `give it ${fields.join(', ')}. If it is its owner's: ${vouchCommand(account)}`
