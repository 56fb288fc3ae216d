export interface Member {
  readonly email: string
  /** Whether its address is known to be its owner's: it did not just register itself. */
  readonly isVouched: boolean
}

/** Whether an account may use a group with these accounts (null: all), by a vouched address. */
export const mayUse = (
  accounts: ReadonlySet<string> | null,
  { email, isVouched }: Member,
): boolean => accounts === null || (isVouched && accounts.has(email.toLowerCase()))

/** What may be amiss with a list of addresses: each with the end of a sentence about it. */
export function complainOfMembers(
  accounts: readonly string[],
  known: readonly Member[],
): { readonly at: number; readonly email: string; readonly complaint: string }[] {
  const byAddress = new Map(known.map((member) => [member.email.toLowerCase(), member]))
  return accounts.flatMap((email, at) => {
    const member = byAddress.get(email)
    if (member?.isVouched) return []
    const complaint = member
      ? 'registered itself: the group stays closed to it until somebody vouches for its address'
      : 'has no account yet'
    return [{ at, email, complaint }]
  })
}
