/** A fault planted in the protocol, as a change of its text. */
export interface Mutation {
  readonly what: string
  readonly file: 'borrower' | 'held' | 'lender' | 'grant' | 'term'
  readonly from: string
  readonly to: string
}

export const mutations: readonly Mutation[] = [
  {
    what: 'what is being returned can still be taken',
    file: 'held',
    from: 'held.leaseNano - held.returningNano - held.usedNano',
    to: 'held.leaseNano - held.usedNano',
  },
  {
    what: 'any answer ends the wait for a return',
    file: 'borrower',
    from: 'if (no >= held.returnedNo) held.returningNano = 0',
    to: 'held.returningNano = 0',
  },
  {
    what: 'what is merely uncertain counts as owed',
    file: 'held',
    from: 'Math.max(0, held.usedNano - held.payingNano - held.leaseNano)',
    to: 'Math.max(0, -spareOf(held))',
  },
  {
    what: 'the end of a request is counted twice',
    file: 'borrower',
    from: 'held.usedNano -= nano',
    to: 'held.usedNano -= 2 * nano',
  },
  {
    what: 'a request is not counted as use',
    file: 'borrower',
    from: 'held.usedNano += nano\n      held.takenAt',
    to: 'held.takenAt',
  },
  {
    what: 'an answer that was overtaken counts',
    file: 'borrower',
    from: 'if (no <= held.no) {',
    to: 'if (no < 0) {',
  },
  {
    what: 'of two answers to one wish the later one counts, not the lower',
    file: 'borrower',
    from: 'if (leaseNano > held.leaseNano) ask(held)\n      else if (no === held.no)',
    to: 'if (no === held.no)',
  },
  {
    what: 'a node that was taken for dead keeps its leases',
    file: 'borrower',
    from: 'restart(held, 0)',
    to: 'restart(held, held.leaseNano)',
  },
  {
    what: 'a worker that connects again keeps more than it owes',
    file: 'borrower',
    from: 'restart(held, held.usedNano)',
    to: 'restart(held, held.leaseNano)',
  },
  {
    what: 'a wish without an answer is forgotten',
    file: 'borrower',
    from: 'if (isLast) ask(held)',
    to: 'if (isLast) held.isGrowing = false',
  },
  {
    what: 'idle leases are kept',
    file: 'borrower',
    from: 'held.refilledAt = now\n          setDue(held)',
    to: 'held.refilledAt = now',
  },
  {
    what: 'a repeated or late wish is done again',
    file: 'grant',
    from: 'if (no <= lease.no) return lease',
    to: '',
  },
  {
    what: 'more is lent than is free',
    file: 'grant',
    from: 'isOwed ? byNano :',
    to: 'byNano > 0 ? byNano :',
  },
  {
    what: 'the keeper lends without having borrowed',
    file: 'lender',
    from: 'else if (grownNano > 0) capital.take(purse, grownNano, now)',
    to: '',
  },
  {
    what: 'a settlement does not lower the lease of its worker',
    file: 'lender',
    from: 'if (coveredNano > 0) lower(lease, coveredNano)',
    to: '',
  },
  {
    what: 'a failed settlement lowers the lease of its worker for good',
    file: 'lender',
    from: 'if (!isOver) lower(leaseOf(purse), -coveredNano)',
    to: '',
  },
  {
    what: 'what a worker owes is not counted',
    file: 'lender',
    from: 'capital.owe(lease.purse, lease.leaseNano)',
    to: '',
  },
  {
    what: 'the leases of a dead worker are forgotten',
    file: 'lender',
    from: 'for (const { purse, leaseNano } of leases.values()) capital.release(purse, leaseNano)',
    to: '',
  },
  {
    what: 'a batch of an earlier connection counts',
    file: 'lender',
    from: 'if (isOver) return false',
    to: '',
  },
  {
    what: 'wishes of an earlier connection count',
    file: 'lender',
    from: 'leaseNano: 0, no: voidNo',
    to: 'leaseNano: 0, no: 0',
  },
  {
    what: 'what a worker returns is not free for others',
    file: 'lender',
    from: 'capital.release(wish.purse, before.leaseNano - after.leaseNano)',
    to: '',
  },
  {
    what: 'the term is ignored',
    file: 'term',
    from: 'ageOf(since, now) <= termMs',
    to: 'termMs > 0',
  },
  {
    what: 'the term is measured by the monotonic clock alone',
    file: 'term',
    from: 'Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs)',
    to: 'now.monotonicMs - since.monotonicMs',
  },
  {
    what: 'the term is measured by the wall clock alone',
    file: 'term',
    from: 'Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs)',
    to: 'now.wallMs - since.wallMs',
  },
  {
    what: 'the term of a worker begins with the answer of its keeper',
    file: 'term',
    from: 'sentAt.monotonicMs - ageMs',
    to: 'sentAt.monotonicMs',
  },
]
