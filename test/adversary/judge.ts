import type { Rows } from '../torture/facts.ts'
import type { Asked, Person } from './customers.ts'
import { type Bill, cost, inMillionths } from './prices.ts'
import { explainReceipt } from './receipts.ts'
import type { Customer, Script } from './script.ts'
import type { Vendor } from './vendor/vendor.ts'
import type { World } from './world.ts'

/** A promise that was not kept. */
export interface Fault {
  readonly promise:
    | 'what the vendor bills is charged'
    | 'nobody falls below zero by more than one answer'
    | 'who got a whole answer pays what it cost'
    | 'a receipt explains itself'
    | 'nothing stays set aside'
    | 'stored answers are their own account’s'
    | 'verify finds nothing'
    | 'no fault is logged'
  readonly text: string
}

/** What is stored of a request. */
interface Recorded {
  readonly id: string
  readonly email: string
  readonly ending: string
  readonly status: number
  readonly cause: string | null
  readonly estimated: number | boolean
  readonly amount: number
  /** Of the vendor's requests, as its attempts name them: `vendor-17,vendor-18`. */
  readonly vendor: string | null
  readonly operation: string
}

interface Entry {
  readonly email: string
  readonly kind: string
  readonly amount: number
  readonly after: number
}

/** All that is known of the world when it is at rest. */
export interface Evidence {
  readonly records: readonly Recorded[]
  readonly entries: readonly Entry[]
}

const selectRecords = `SELECT request.request_id AS id, account.email AS email, ending, request.status AS status,
  request.cause AS cause, estimated, request.amount_nano AS amount, operation,
  (SELECT string_agg(upstream_request_id, ',') FROM attempt WHERE request_row = request.id) AS vendor
  FROM request JOIN account ON account.id = request.account_id ORDER BY request.id`

const selectEntries = `SELECT account.email AS email, kind, amount_nano AS amount,
  balance_after_nano AS after FROM ledger JOIN account ON account.id = ledger.account_id ORDER BY ledger.id`

export async function readEvidence(rows: Rows): Promise<Evidence> {
  return { records: await rows<Recorded>(selectRecords), entries: await rows<Entry>(selectEntries) }
}

/** So long a gateway may take to conclude what its customers are done with. */
const restMs = 30_000
/** So long it may take to record what the vendor has been asked: then it never will. */
const recordMs = 10_000

/** Waits until the vendor works on nothing, nothing is set aside, and all that was billed is recorded. */
export async function untilRest(world: World, vendor: Vendor): Promise<readonly Fault[]> {
  const start = performance.now()
  for (;;) {
    await vendor.rest()
    const open = await world.rows<object>(
      'SELECT request_id, amount_nano, email FROM reservation JOIN account ON account.id = account_id',
    )
    const pastMs = performance.now() - start
    if (open.length > 0 && pastMs > restMs) {
      return [{ promise: 'nothing stays set aside', text: JSON.stringify(open.slice(0, 3)) }]
    }
    if (open.length === 0 && (pastMs > recordMs || (await areRecorded(world, vendor)))) return []
    await Bun.sleep(10)
  }
}

/** A request that is soon over leaves no reservation: its record alone tells that it has been settled. */
async function areRecorded({ rows }: World, { bills }: Vendor): Promise<boolean> {
  const found = await rows<{ email: string; count: number }>(
    "SELECT email, count(*) AS count FROM request JOIN account ON account.id = account_id WHERE ending <> 'refused' GROUP BY email",
  )
  const recorded = new Map(found.map(({ email, count }) => [email, Number(count)]))
  const asked = new Map<string, Set<number>>()
  for (const { email, number } of bills) {
    asked.set(email, (asked.get(email) ?? new Set()).add(number))
  }
  return [...asked].every(([email, numbers]) => (recorded.get(email) ?? 0) >= numbers.size)
}

export interface Run {
  readonly script: Script
  readonly people: readonly Person[]
  readonly asked: readonly Asked[]
}

/** What went wrong in one run. */
export async function judge(
  { script, people, asked }: Run,
  { records, entries }: Evidence,
  bills: readonly Bill[],
  url: string,
): Promise<readonly Fault[]> {
  const faults: Fault[] = []
  for (const [at, customer] of script.customers.entries()) {
    const person = people[at]
    if (person === undefined) continue
    const { email } = person
    const ofAccount = {
      customer,
      asked: asked.filter((one) => one.email === email),
      records: records.filter((record) => record.email === email),
      bills: bills.filter((bill) => bill.email === email),
    }
    const own = entries.filter((entry) => entry.email === email)
    faults.push(
      ...checkContinued(ofAccount),
      ...checkCharges(ofAccount),
      ...checkBalance(own),
      ...checkExact(ofAccount),
    )
    faults.push(...(await checkReceipts(ofAccount.records, person, url)))
  }
  faults.push(...checkOwnership(asked))
  return faults
}

interface OfAccount {
  readonly customer: Customer
  readonly asked: readonly Asked[]
  readonly records: readonly Recorded[]
  readonly bills: readonly Bill[]
}

/**
 * What must be charged of a bill. Policy `drain`: all of it. `observed`: all but the words that an
 * account's customer had not got when it left, or that came behind its stop sequence, for the gateway need not have seen them. Of an answer
 * that was ended because the money was: its input, and the words that were delivered. It costs no more
 * than was set aside for it (B2), and the vendor works on until it sees the end.
 */
function owed(bill: Bill, of: OfAccount): bigint {
  const { customer, asked } = of
  const one = asked.find(({ number }) => number === bill.number)
  if (bill.brokeOff && (one === undefined || one.words === 0 || one.ask?.stream !== true)) return 0n
  const isEnded = recordsOf(of, bill.number).some(({ cause }) => cause === 'balance_used_up')
  const hasLeft = customer.policy === 'observed' && one?.hasLeft === true
  // What comes behind a stop sequence is for nobody.
  const isStopped = customer.policy === 'observed' && one?.ask?.stop !== undefined
  const isExcused = bill.brokeOff || isEnded || hasLeft || isStopped
  const unseen = isExcused ? Math.max(0, bill.words - (one?.words ?? 0)) : 0
  const delivered = isEnded ? { ...bill, output: bill.words, audioOut: 0, uses: {} } : bill
  return inMillionths(cost(delivered, unseen), customer.multiplier)
}

const oneNano = 1_000_000n

function checkCharges(of: OfAccount): readonly Fault[] {
  const { records, bills } = of
  const charged = records.reduce((sum, { amount }) => sum + BigInt(amount), 0n) * oneNano
  const due = bills.reduce((sum, bill) => sum + owed(bill, of), 0n)
  if (charged + BigInt(records.length) * oneNano >= due) return perRequest(of)
  const text = `${of.customer.policy}: charged ${usd(charged)}, the vendor bills ${usd(due)}`
  return [lost(`${text}: ${underpaid(of).join('; ')}`)]
}

/** Sums may hide one loss behind what another paid too much. */
function perRequest(of: OfAccount): readonly Fault[] {
  const texts = underpaid(of)
  return texts.length === 0 ? [] : [lost(texts.join('; '))]
}

const lost = (text: string): Fault => ({ promise: 'what the vendor bills is charged', text })
const usd = (millionths: bigint) => `${Number(millionths) / 1e15} USD`

/**
 * Requests that were charged too little. Who left before the first byte knows no id, and the vendor's
 * side of such a record is not known either; what is made in the background is charged by a record of
 * its own: those are compared as a whole.
 */
function underpaid(of: OfAccount): readonly string[] {
  const numbers = [...new Set(of.bills.map(({ number }) => number))]
  const known = numbers.filter((number) => {
    const own = recordsOf(of, number)
    return own.length > 0 && own.every(({ ending }) => ending !== 'background')
  })
  const claimed = new Set(known.flatMap((number) => recordsOf(of, number)))
  const rest = of.records.filter((record) => !claimed.has(record))
  return [
    ...known.flatMap((number) => shortfall(of, [number], recordsOf(of, number))),
    ...shortfall(
      of,
      numbers.filter((number) => !known.includes(number)),
      rest,
    ),
  ]
}

function shortfall(
  of: OfAccount,
  numbers: readonly number[],
  records: readonly Recorded[],
): readonly string[] {
  const bills = of.bills.filter(({ number }) => numbers.includes(number))
  const due = bills.reduce((sum, bill) => sum + owed(bill, of), 0n)
  const charged = records.reduce((sum, { amount }) => sum + BigInt(amount), 0n) * oneNano
  if (charged + oneNano * BigInt(bills.length) >= due) return []
  const said = records.map(({ id, ending, cause, operation }) => ({ id, ending, cause, operation }))
  const what = bills.map(({ number, model, what: made }) => `${number} (${model} ${made})`)
  return [
    `${what.slice(0, 4).join(', ')}: charged ${usd(charged)} of ${usd(due)}, ` +
      `recorded as ${JSON.stringify(said.slice(0, 4))}`,
  ]
}

/** The records that belong to one request of a customer, by the vendor's or the gateway's id. */
function recordsOf({ records, asked }: OfAccount, number: number): readonly Recorded[] {
  const id = asked.find((one) => one.number === number)?.requestId
  return records.filter(
    (record) => record.id === id || record.vendor?.split(',').includes(`vendor-${number}`),
  )
}

function checkBalance(entries: readonly Entry[]): readonly Fault[] {
  const lowest = Math.min(0, ...entries.map(({ after }) => after))
  const dearest = Math.max(
    0,
    ...entries.filter(({ kind }) => kind === 'charge').map((one) => -one.amount),
  )
  if (lowest >= -dearest) return []
  const last = entries.map(({ amount }) => amount / 1e9).slice(0, 40)
  const text = `the balance fell to ${lowest / 1e9} USD, the dearest answer cost ${dearest / 1e9}: ${last.join(', ')}`
  return [{ promise: 'nobody falls below zero by more than one answer', text }]
}

/** Who stayed to the end pays just what the vendor says. */
function checkExact(of: OfAccount): readonly Fault[] {
  const { asked, bills, customer } = of
  return asked.flatMap((one) => {
    const own = bills.filter(({ number }) => number === one.number)
    const [bill] = own
    const [record] = of.records.filter(({ id }) => id === one.requestId)
    if (one.hasLeft || one.ask?.background || own.length !== 1 || bill === undefined) return []
    if (record?.ending !== 'complete' || Number(record.estimated) !== 0) return []
    const due = inMillionths(cost(bill), customer.multiplier)
    const over = BigInt(record.amount) * oneNano - due
    if (over <= oneNano) return []
    const text = `${one.number} (${bill.model} ${bill.what}): charged ${record.amount / 1e9} of ${usd(due)}`
    return [{ promise: 'who got a whole answer pays what it cost', text } as const]
  })
}

async function checkReceipts(
  records: readonly Recorded[],
  { key }: Person,
  url: string,
): Promise<readonly Fault[]> {
  const found = await Promise.all(
    records.slice(0, 12).map(async ({ id }) => {
      const response = await fetch(`${url}/v1/receipts/${id}`, {
        headers: { authorization: `Bearer ${key}` },
        proxy: false,
      })
      const text = await response.text()
      const wrong =
        response.status === 200 ? explainReceipt(JSON.parse(text)) : `${response.status}: ${text}`
      return wrong === undefined ? [] : [`${id}: ${wrong}`]
    }),
  )
  return found.flat().map((text) => ({ promise: 'a receipt explains itself', text }))
}

/** Nobody goes on with what another account has stored. */
const checkContinued = ({ bills }: OfAccount): readonly Fault[] =>
  bills
    .filter(({ isForeign }) => isForeign)
    .map(({ number, what }) => ({
      promise: 'stored answers are their own account’s',
      text: `${number} (${what}) went on with another account's answer`,
    }))

/** Nobody gets an answer that another account has stored. */
function checkOwnership(asked: readonly Asked[]): readonly Fault[] {
  const owners = new Map(
    asked.filter(({ ask }) => ask !== undefined).map(({ number, email }) => [number, email]),
  )
  return asked
    .filter(({ ask, status }) => ask === undefined && status === 200)
    .flatMap((one) => {
      const number = Number(/resp_v(\d+)/.exec(one.text)?.[1])
      const owner = owners.get(number)
      if (owner === undefined || owner === one.email) return []
      const text = `${one.email} was shown answer ${number} of ${owner}`
      return [{ promise: 'stored answers are their own account’s', text } as const]
    })
}
