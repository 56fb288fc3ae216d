import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { Answer, success } from '../envelope.ts'
import { answer, openGuard } from './open-guard.ts'
import {
  Entered,
  IdParams,
  PasskeyBody,
  PasskeyOptions,
  ProviderBody,
  ProviderUrl,
  SecondFactorBody,
  SetupBody,
  SetupState,
  SignInBody,
  SignInMethods,
  SignUpBody,
} from './schema.ts'
import type { SignIn } from './sign-in.ts'

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
