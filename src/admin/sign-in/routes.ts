import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { checkOrigin, type Guard } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import { readJson } from '../read-json.ts'
import type { Outcome } from './limits.ts'
import {
  BackupCodes,
  CodeBody,
  Entered,
  IdParams,
  NewPasskeyBody,
  PasskeyBody,
  PasskeyOptions,
  PasswordBody,
  PasswordChangeBody,
  ProviderBody,
  ProviderUrl,
  SecondFactorBody,
  SessionList,
  SetupBody,
  SetupState,
  SignInBody,
  SignInMethods,
  SignInProfile,
  SignUpBody,
  TwoFactorSecret,
  UnlinkBody,
} from './schema.ts'
import type { SignIn } from './sign-in.ts'

/** More is no sign-in. */
const maxBytes = 64 * 1024

/**
 * The guard of routes for who is not signed in yet: refuses pages of other sites (403), and all
 * bodies but JSON of at most 64 KiB.
 */
const openGuard = (origins: () => readonly string[]) =>
  new Elysia({ name: 'admin.open' })
    .onParse({ as: 'scoped' }, ({ request }) => {
      checkOrigin(request, origins())
      return readJson(request, maxBytes)
    })
    .onBeforeHandle({ as: 'scoped' }, ({ request }) => checkOrigin(request, origins()))

/**
 * An outcome as an answer, with its cookies. A whole response: what a handler says by `set` is lost
 * in the compiled program when another function says it.
 */
function answer<Data>({ data, cookies }: Outcome<Data>): Response {
  const headers = new Headers({ 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return Response.json(success(data), { headers })
}

const nothing = { 200: Answer(Type.Null()) }
const about = (summary: string) => ({ tags: ['Sign-in'], summary, security: [] })

/** Ways into the console, for who is not signed in. HTTP only: every decision is the service's. */
export const signInRoutes = (signIn: SignIn, origins: () => readonly string[]) =>
  new Elysia({ name: 'admin.sign-in', prefix: '/api/v1/auth' })
    .use(openGuard(origins))
    .get('/methods', async () => success(await signIn.methods()), {
      response: { 200: Answer(SignInMethods) },
      detail: about('How people may sign in here'),
    })
    .post(
      '/sign-in/email',
      async ({ request, body: { remember = true, ...entry } }) =>
        answer(await signIn.withPassword.signIn(request, { ...entry, remember })),
      { body: SignInBody, response: { 200: Answer(Entered) }, detail: about('Sign in') },
    )
    .post(
      '/sign-up/email',
      async ({ request, body: { name = '', ...entry } }) =>
        answer(await signIn.withPassword.signUp(request, { ...entry, name })),
      { body: SignUpBody, response: nothing, detail: about('Open an account') },
    )
    .post('/sign-out', async ({ request }) => answer(await signIn.withPassword.signOut(request)), {
      response: nothing,
      detail: about('Sign out'),
    })
    .post(
      '/second-factor',
      async ({ request, body: { code, backup = false, trust = false } }) => {
        const factor = { code, trust, isBackup: backup }
        return answer(await signIn.secondStep(request, factor))
      },
      { body: SecondFactorBody, response: nothing, detail: about('Sign in: the second step') },
    )
    .post(
      '/sign-in/provider',
      async ({ request, body: { provider, callback_url = '/console' } }) => {
        const way = { provider, callbackUrl: callback_url }
        return answer(await signIn.elsewhere.provider(request, way))
      },
      {
        body: ProviderBody,
        response: { 200: Answer(ProviderUrl) },
        detail: about('Sign in by an OIDC provider: where to send the browser'),
      },
    )
    .get('/callback/:id', ({ request, params }) => signIn.elsewhere.callback(request, params.id), {
      params: IdParams,
      detail: about('Where an OIDC provider sends the browser back to'),
    })
    .get(
      '/passkey/options',
      async ({ request }) => answer(await signIn.elsewhere.passkeyOptions(request, 'authenticate')),
      { response: { 200: Answer(PasskeyOptions) }, detail: about('Sign in with a passkey: begin') },
    )
    .post(
      '/sign-in/passkey',
      async ({ request, body }) =>
        answer(await signIn.elsewhere.enterWithPasskey(request, body.response)),
      { body: PasskeyBody, response: nothing, detail: about('Sign in with a passkey') },
    )

/** Making the first administrator. */
export const setupRoutes = ({ setup }: SignIn, origins: () => readonly string[]) =>
  new Elysia({ name: 'admin.setup', prefix: '/api/v1/setup' })
    .use(openGuard(origins))
    .get('', async () => success({ open: await setup.isOpen() }), {
      response: { 200: Answer(SetupState) },
      detail: about('Whether the first administrator is still to be made'),
    })
    .post('', async ({ request, body }) => answer(await setup.create(request, body)), {
      body: SetupBody,
      response: nothing,
      detail: about('Make the first administrator'),
    })

const aboutOwn = (summary: string) => ({ tags: ['Sign-in'], summary })

/** What people change of their own way in. HTTP only: every decision is the service's. */
export const ownSignInRoutes = (guard: Guard, { own, elsewhere }: SignIn) =>
  new Elysia({ name: 'admin.sign-in.own', prefix: '/api/v1/auth' })
    .use(guard('user'))
    .get('/profile', async ({ who }) => success(await own.profile(who)), {
      response: { 200: Answer(SignInProfile) },
      detail: aboutOwn('What you sign in with'),
    })
    .get('/sessions', async ({ who }) => success(await own.sessions(who)), {
      response: { 200: Answer(SessionList) },
      detail: aboutOwn('Where you are signed in'),
    })
    .delete(
      '/sessions/:id',
      async ({ who, params }) => {
        await own.endSession(who, params.id)
        return success(null)
      },
      { params: IdParams, response: nothing, detail: aboutOwn('End one session') },
    )
    .post('/sessions/end-others', async ({ who }) => success({ ended: await own.endOthers(who) }), {
      response: { 200: Answer(Type.Object({ ended: Type.Integer() })) },
      detail: aboutOwn('End all sessions but this one'),
    })
    .post(
      '/password',
      async ({ request, who, body }) => {
        const change = { current: body.current_password, wanted: body.new_password }
        return answer(await own.changePassword(request, who, change))
      },
      { body: PasswordChangeBody, response: nothing, detail: aboutOwn('Change the password') },
    )
    .post(
      '/two-factor/enable',
      async ({ request, who, body }) =>
        answer(await own.enableTwoFactor(request, who, body.password)),
      {
        body: PasswordBody,
        response: { 200: Answer(TwoFactorSecret) },
        detail: aboutOwn('A second factor: begin'),
      },
    )
    .post(
      '/two-factor/confirm',
      async ({ request, who, body }) => answer(await own.confirmTwoFactor(request, who, body.code)),
      { body: CodeBody, response: nothing, detail: aboutOwn('A second factor: the first code') },
    )
    .post(
      '/two-factor/disable',
      async ({ request, who, body }) =>
        answer(await own.disableTwoFactor(request, who, body.password)),
      { body: PasswordBody, response: nothing, detail: aboutOwn('Remove the second factor') },
    )
    .post(
      '/two-factor/backup-codes',
      async ({ request, who, body }) =>
        answer(await own.newBackupCodes(request, who, body.password)),
      {
        body: PasswordBody,
        response: { 200: Answer(BackupCodes) },
        detail: aboutOwn('New backup codes, in place of the old ones'),
      },
    )
    .post(
      '/unlink',
      async ({ request, who, body }) => answer(await elsewhere.unlink(request, who, body.provider)),
      { body: UnlinkBody, response: nothing, detail: aboutOwn('Take an OIDC provider away') },
    )
    .get(
      '/passkeys/options',
      async ({ request }) => answer(await elsewhere.passkeyOptions(request, 'register')),
      { response: { 200: Answer(PasskeyOptions) }, detail: aboutOwn('Add a passkey: begin') },
    )
    .post(
      '/passkeys',
      async ({ request, who, body }) => answer(await elsewhere.addPasskey(request, who, body)),
      { body: NewPasskeyBody, response: nothing, detail: aboutOwn('Add a passkey') },
    )
    .delete(
      '/passkeys/:id',
      async ({ request, who, params }) =>
        answer(await elsewhere.removePasskey(request, who, params.id)),
      { params: IdParams, response: nothing, detail: aboutOwn('Remove a passkey') },
    )
