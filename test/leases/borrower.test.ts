import { expect, test } from 'bun:test'
import { createBorrower } from '../../src/leases/borrower.ts'

const purse = 7

/** A borrower that holds so much, of which a request has taken a part. */
function holding(leaseNano: number, takenNano: number) {
  const borrower = createBorrower()
  borrower.want(purse, leaseNano, 0)
  const [wish] = borrower.wishes(0)
  borrower.answered([{ purse, leaseNano, no: wish?.no ?? 0 }], 0)
  expect(borrower.take(purse, takenNano, 0)).toBe(true)
  return { borrower, no: wish?.no ?? 0 }
}

test('what a settlement has paid is not owed, though the answer to a later batch comes first', () => {
  const { borrower, no } = holding(100, 60)
  borrower.pay(purse, 60)
  borrower.answered([{ purse, leaseNano: 40, no }], 1)
  expect(borrower.wishes(1).filter(({ isOwed }) => isOwed)).toEqual([])
  borrower.release(purse, 60)
  borrower.pay(purse, -60)
  expect(borrower.spareNano(purse)).toBe(40)
})

test('what is promised to requests is owed when the lender has ended the lease', () => {
  const { borrower } = holding(100, 60)
  borrower.lost()
  const first = borrower.wishes(1)
  borrower.answered(
    first.map(({ no }) => ({ purse, leaseNano: 0, no })),
    1,
  )
  expect(borrower.wishes(2)).toMatchObject([{ purse, byNano: 60, isOwed: true }])
})
