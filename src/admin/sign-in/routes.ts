import { type TSchema, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { checkOrigin, type Guard } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import { readJson } from '../read-json.ts'
import { remember, requireWhole } from '../whole-body.ts'
import type { Outcome } from './core.ts'
import * as shapes from './schema.ts'
import type { SignIn } from './sign-in.ts'

/** The largest body of a sign-in. */
const maxBytes = 64 * 1024

/** The guard of routes without a session: refuses other sites (403), and bodies but JSON of at most 64 KiB. */
const openGuard = (origins: () => readonly string[]) =>
  new Elysia({ name: 'admin.open' })
    .onParse({ as: 'scoped' }, async ({ request }) => {
      checkOrigin(request, origins())
      return remember(request, await readJson(request, maxBytes))
    })
    .onBeforeHandle({ as: 'scoped' }, ({ request, body }) => {
      checkOrigin(request, origins())
      requireWhole(request, body)
    })

/**
 * The response of an outcome, with its cookies. A whole response: the compiled program loses what another
 * function than the handler writes into `set`.
 */
async function answer<Data>(outcome: Promise<Outcome<Data>>): Promise<Response> {
  const { data, cookies } = await outcome
  const headers = new Headers({ 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return Response.json(success(data), { headers })
}

/** The response schema and description of a route; `open`: without a session. */
const gives = <Data extends TSchema>(data: Data, summary: string, more: object = {}) => ({
  response: { 200: Answer(data) },
  detail: { tags: ['Sign-in'], summary, ...more },
})
const opens = <Data extends TSchema>(data: Data, summary: string) =>
  gives(data, summary, { security: [] })
const Nothing = Type.Null()

/** Sign-in routes, without a session. */
export const signInRoutes = (signIn: SignIn, origins: () => readonly string[]) =>
  new Elysia({ name: 'admin.sign-in', prefix: '/api/v1/auth' })
    .use(openGuard(origins))
    .get('/methods', async () => success(await signIn.methods()), {
      ...opens(shapes.SignInMethods, 'How people may sign in here'),
    })
    .post(
      '/sign-in/email',
      ({ request, body: { remember = true, ...entry } }) =>
        answer(signIn.password.signIn(request, { ...entry, remember })),
      { body: shapes.SignInBody, ...opens(shapes.Entered, 'Sign in') },
    )
    .post(
      '/sign-up/email',
      ({ request, body: { name = '', ...entry } }) =>
        answer(signIn.password.signUp(request, { ...entry, name })),
      { body: shapes.SignUpBody, ...opens(Nothing, 'Open an account') },
    )
    .post('/sign-out', ({ request }) => answer(signIn.password.signOut(request)), {
      ...opens(Nothing, 'Sign out'),
    })
    .post(
      '/second-factor',
      ({ request, body: { code, backup = false, trust = false } }) =>
        answer(signIn.factors.finish(request, { code, trust, isBackup: backup })),
      { body: shapes.SecondFactorBody, ...opens(Nothing, 'Sign in: the second step') },
    )
    .post(
      '/sign-in/provider',
      ({ request, body: { provider, callback_url = '/console' } }) =>
        answer(signIn.oauth.begin(request, { provider, callbackUrl: callback_url })),
      {
        body: shapes.ProviderBody,
        ...opens(shapes.ProviderUrl, 'Sign in by a provider: where to send the browser'),
      },
    )
    .get('/callback/:id', ({ request, params }) => signIn.oauth.callback(request, params.id), {
      params: shapes.IdParams,
      detail: opens(Nothing, 'Where a provider sends the browser back to').detail,
    })
    .get('/passkey/options', ({ request }) => answer(signIn.passkeys.signInOptions(request)), {
      ...opens(shapes.PasskeyOptions, 'Sign in with a passkey: begin'),
    })
    .post(
      '/sign-in/passkey',
      ({ request, body }) => answer(signIn.passkeys.signIn(request, body.response)),
      { body: shapes.PasskeyBody, ...opens(Nothing, 'Sign in with a passkey') },
    )

/** Creating the first administrator. */
export const setupRoutes = ({ setup }: SignIn, origins: () => readonly string[]) =>
  new Elysia({ name: 'admin.setup', prefix: '/api/v1/setup' })
    .use(openGuard(origins))
    .get('', async () => success({ open: await setup.isOpen() }), {
      ...opens(shapes.SetupState, 'Whether the first administrator is still to be made'),
    })
    .post('', ({ request, body }) => answer(setup.create(request, body)), {
      ...{ body: shapes.SetupBody, ...opens(Nothing, 'Make the first administrator') },
    })

/** Sign-in methods of the signed-in user. */
export const ownSignInRoutes = (guard: Guard, signIn: SignIn) =>
  new Elysia({ name: 'admin.sign-in.own', prefix: '/api/v1/auth' })
    .use(guard('user'))
    .get('/profile', async ({ who }) => success(await signIn.profile(who)), {
      ...gives(shapes.SignInProfile, 'What you sign in with'),
    })
    .get('/sessions', async ({ who }) => success(await signIn.sessions.list(who)), {
      ...gives(shapes.SessionList, 'Where you are signed in'),
    })
    .delete(
      '/sessions/:id',
      async ({ who, params }) => {
        await signIn.sessions.endOne(who, params.id)
        return success(null)
      },
      { params: shapes.IdParams, ...gives(Nothing, 'End one session') },
    )
    .post(
      '/sessions/end-others',
      async ({ who }) => success({ ended: await signIn.sessions.endOthers(who) }),
      gives(Type.Object({ ended: Type.Integer() }), 'End all sessions but this one'),
    )
    .post(
      '/password',
      ({ request, who, body: { current_password, new_password } }) => {
        const change = { current: current_password, wanted: new_password }
        return answer(signIn.changePassword(request, who, change))
      },
      { body: shapes.PasswordChangeBody, ...gives(shapes.OtherWaysIn, 'Change the password') },
    )
    .post(
      '/two-factor/enable',
      async ({ who, body }) => success(await signIn.factors.enable(who, body.password)),
      { body: shapes.PasswordBody, ...gives(shapes.TwoFactorSecret, 'A second factor: begin') },
    )
    .post(
      '/two-factor/confirm',
      ({ request, who, body }) => answer(signIn.factors.confirm(request, who, body.code)),
      { body: shapes.CodeBody, ...gives(Nothing, 'A second factor: the first code') },
    )
    .post(
      '/two-factor/disable',
      ({ request, who, body }) => answer(signIn.factors.disable(request, who, body.password)),
      { body: shapes.PasswordBody, ...gives(Nothing, 'Remove the second factor') },
    )
    .post(
      '/two-factor/backup-codes',
      async ({ who, body }) => success(await signIn.factors.newBackupCodes(who, body.password)),
      {
        body: shapes.PasswordBody,
        ...gives(shapes.BackupCodes, 'New backup codes, in place of the old ones'),
      },
    )
    .post('/unlink', ({ who, body }) => answer(signIn.oauth.unlink(who, body.provider)), {
      ...{ body: shapes.UnlinkBody, ...gives(Nothing, 'Take a provider away') },
    })
    .get(
      '/passkeys/options',
      ({ request, who }) => answer(signIn.passkeys.addOptions(request, who)),
      gives(shapes.PasskeyOptions, 'Add a passkey: begin'),
    )
    .post(
      '/passkeys',
      ({ request, who, body }) => answer(signIn.passkeys.add(request, who, body)),
      { body: shapes.NewPasskeyBody, ...gives(Nothing, 'Add a passkey') },
    )
    .delete('/passkeys/:id', ({ who, params }) => answer(signIn.passkeys.remove(who, params.id)), {
      params: shapes.IdParams,
      ...gives(Nothing, 'Remove a passkey'),
    })
