import { createWorkplace, type Workplace } from './cli.ts'

/** The key of kim's token `laptop`, which the file of `createBalances` names. */
export const laptopKey = 'sk-0123456789abcdef0123456789'

/** A database with the accounts kim (3 USD, token `laptop`) and lee (nothing). */
export async function createBalances(settings = '{}'): Promise<Workplace> {
  const place = await createWorkplace()
  await place.write(
    'tollgate.yaml',
    `settings: ${settings}
channels: [{ name: main, speaks: { chat: "http://127.0.0.1:9/v1" }, api_key: k, models: [m], allow_private: true }]
groups: [{ name: main, channels: [main] }]
prices: { m: { input: 1, output: 2 } }
accounts:
  - email: kim@example.com
    balance: 3
    credit_limit: 1
    tokens: [{ name: laptop, key: ${laptopKey}, group: main, budget: { day: 5 } }]
  - { email: lee@example.com }
`,
  )
  const { code, err } = await place.run(['apply'])
  if (code !== 0) throw new Error(err)
  return place
}
