import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Running } from '../serving.ts'
import { admin, createBrowser, startSignIn } from './sign-in-scene.ts'

// An administrator lets the owner of an account in again who has lost the password or the second factor.

const owner = { email: 'second@example.com', password: 'a-third-long-password' }
const given = 'a-password-by-the-administrator'

let app: Running
let root: ReturnType<typeof createBrowser>
let ids: { readonly owner: number; readonly root: number }
beforeAll(async () => {
  app = await startSignIn()
  root = createBrowser(app.serving.url)
  await root.signIn(admin)
  const { signIn } = app.instance.store
  const [one, other] = [await signIn.account(owner), await signIn.account(admin)]
  ids = { owner: one?.id ?? 0, root: other?.id ?? 0 }
})
afterAll(() => app[Symbol.asyncDispose]())

const pathOf = (id: number) => `/api/v1/admin/accounts/${id}`
const setPassword = (id: number, password: string | null, new_password = given) =>
  root.post(`${pathOf(id)}/password`, { new_password, password })
const removeFactor = (id: number, password: string | null) =>
  root.send('DELETE', `${pathOf(id)}/two-factor`, { password })
const audited = async () =>
  (await app.instance.store.lists.audit({ subject: owner.email }, { size: 10 })).rows.map(
    ({ actor, action }) => `${actor} ${action}`,
  )

async function giveFactor() {
  const { signIn } = app.instance.store
  await signIn.offerSecondFactor(ids.owner, 'a secret', 'codes')
  await signIn.turnOnSecondFactor(ids.owner, 'a secret')
}

test('a new password, by one’s own: all sessions end, and the audit has it', async () => {
  const browser = createBrowser(app.serving.url)
  await browser.signIn(owner)
  expect(await browser.status()).toBe(200)
  expect(await setPassword(ids.owner, 'not-my-password')).toMatchObject({
    ...{ status: 403, reason: 'wrong_password', field: 'password' },
  })
  expect(await setPassword(ids.owner, null)).toMatchObject({ status: 403 })
  expect(await setPassword(ids.owner, admin.password, 'short')).toMatchObject({
    ...{ status: 400, field: 'new_password', fault: 'unfit_password' },
  })
  expect(await browser.status()).toBe(200)
  expect(await setPassword(ids.owner, admin.password)).toMatchObject({
    ...{ status: 200, data: { has_password: true, two_factor: false, passkeys: 0 } },
  })
  expect(await browser.status()).toBe(401)
  expect(await browser.signIn(owner)).toMatchObject({ status: 401 })
  expect(await browser.signIn({ ...owner, password: given })).toMatchObject({ status: 200 })
  expect(await audited()).toContain(`${admin.email} account.password`)
})

test('a password that is replaced while its sign-in waits opens nothing', async () => {
  await setPassword(ids.owner, admin.password)
  const { signIn } = app.instance.store
  const read = signIn.account
  const replaced = async (...asked: Parameters<typeof read>) => {
    const found = await read(...asked)
    signIn.account = read
    await setPassword(ids.owner, admin.password, owner.password)
    return found
  }
  signIn.account = replaced
  const browser = createBrowser(app.serving.url)
  expect(await browser.signIn({ ...owner, password: given })).toMatchObject({ status: 401 })
  expect(await browser.signIn(owner)).toMatchObject({ status: 200 })
})

test('a lost second factor is taken away, by one’s own password', async () => {
  await setPassword(ids.owner, admin.password)
  const browser = createBrowser(app.serving.url)
  await browser.signIn({ ...owner, password: given })
  await giveFactor()
  const ways = () => root.get(`${pathOf(ids.owner)}/sign-in`)
  expect((await ways()).data).toMatchObject({ two_factor: true })
  expect(await removeFactor(ids.owner, 'not-my-password')).toMatchObject({ status: 403 })
  expect((await ways()).data).toMatchObject({ two_factor: true })
  expect(await removeFactor(ids.owner, admin.password)).toMatchObject({
    ...{ status: 200, data: { two_factor: false } },
  })
  expect(await browser.status()).toBe(401)
  expect((await browser.signIn({ ...owner, password: given })).data).toEqual({ two_factor: false })
  expect(await audited()).toContain(`${admin.email} account.reset_2fa`)
})

test('never on one’s own account, where it would do without password and second factor', async () => {
  for (const refused of [
    await setPassword(ids.root, admin.password),
    await removeFactor(ids.root, admin.password),
  ])
    expect(refused).toMatchObject({ status: 403, reason: 'not_allowed', fault: 'own_account' })
  expect(await root.status()).toBe(200)
  expect(await removeFactor(987_654, admin.password)).toMatchObject({ status: 404 })
})
